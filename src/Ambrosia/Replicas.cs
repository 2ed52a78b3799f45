using System.Globalization;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.Cli;

/// <summary>What the lock files in an instance's folder say of its replicas.</summary>
internal static class Replicas
{
    private const string FilePrefix = "replica.";

    /// <summary>Number of the replica whose process took the log's lock last; null when there are no replicas, or the store is not made of files.</summary>
    public static int? ActingIn(string store, string instance)
    {
        if (!store.StartsWith("file:", StringComparison.Ordinal))
        {
            return null;
        }

        string folder = Path.Combine(LogStores.RootOf(store), instance);
        string holder = Read(Path.Combine(folder, "lock"));
        return NumbersIn(folder).Where(number => holder.Length > 0 && Read(FileOf(folder, number)) == holder).Select(static number => (int?)number).FirstOrDefault();
    }

    /// <summary>All that run, with their processes and roles, by number.</summary>
    public static async Task<IReadOnlyList<ReplicaFacts>> ReadAsync(IFileSystem files, string folder, int? primary)
    {
        int? checkpointer = await LockFile.HolderAsync(files, Path.Combine(folder, "checkpointer"));
        var found = new List<ReplicaFacts>();
        foreach (int number in NumbersIn(folder))
        {
            if (await LockFile.HolderAsync(files, FileOf(folder, number)) is { } process)
            {
                found.Add(new ReplicaFacts(number, process == primary ? "primary" : process == checkpointer ? "checkpointer" : "secondary", process));
            }
        }

        return found;
    }

    /// <summary>The smallest number that no running replica has; null when whoever serves the instance has none either, or nobody serves it.</summary>
    public static async Task<int?> FreeNumberAsync(IFileSystem files, string store, string instance)
    {
        if (ActingIn(store, instance) is not { } acting)
        {
            return null;
        }

        string folder = Path.Combine(LogStores.RootOf(store), instance);
        bool serves = await LockFile.HolderAsync(files, FileOf(folder, acting)) is not null;
        int number = 0;
        while (serves && await LockFile.HolderAsync(files, FileOf(folder, number)) is not null)
        {
            number++;
        }

        return serves ? number : null;
    }

    private static IEnumerable<int> NumbersIn(string folder) => !Directory.Exists(folder) ? [] : Directory.EnumerateFiles(folder, FilePrefix + "*")
        .Select(static path => int.TryParse(Path.GetFileName(path)[FilePrefix.Length..], NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? number : -1)
        .Where(static number => number >= 0)
        .Order();

    private static string FileOf(string folder, int number) => Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"{FilePrefix}{number}"));

    private static string Read(string path)
    {
        try
        {
            // Not File.ReadAllText, which takes a lock of its own and fails where one is held.
            using var handle = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            byte[] text = new byte[100];
            return System.Text.Encoding.UTF8.GetString(text, 0, RandomAccess.Read(handle, text, 0)).Trim();
        }
        catch (IOException)
        {
            return "";
        }
    }
}
