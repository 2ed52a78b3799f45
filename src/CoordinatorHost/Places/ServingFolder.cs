using System.Globalization;
using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.CoordinatorHost.Places;

/// <summary>
/// Where the coordinators of a user say how they can be asked, a file for each process. A reader of it would show a token to the
/// address that it finds: only what this user or root has written counts, and only while its process runs, on this machine and under a
/// number that is seen from here.
/// </summary>
/// <param name="folder">The folder; empty for a coordinator that nobody is to find.</param>
/// <param name="user">The user that reads and writes; null for the user of this process.</param>
public sealed class ServingFolder(string folder, uint? user = null)
{
    private const long LongestEntry = 64 * 1024;
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Writes an entry, and removes those of dead processes; the file, or null for none.</summary>
    /// <exception cref="IOException">It cannot be written there.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be written there.</exception>
    public string? Write(ServingEntry entry)
    {
        if (folder.Length == 0 || !Platform.UsesLinuxCalls)
        {
            return null;
        }

        if (SocketFolder.Make(folder) is { } reason)
        {
            throw new IOException($"{folder}: {reason}");
        }

        RemoveDead();
        string path = Path.Combine(folder, NameOf(entry));
        string aside = path + ".tmp";
        File.Delete(aside);
        using (var writer = new StreamWriter(
            aside, new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write, UnixCreateMode = OwnerOnly }))
        {
            writer.Write(entry.Text);
        }

        File.Move(aside, path, overwrite: true);
        return path;
    }

    /// <summary>Entries of processes that run, newest first.</summary>
    public IReadOnlyList<ServingEntry> Read() =>
        [.. Files().Select(static file => file.Entry).Where(static entry => IsHere(entry) && NamedProcess.IsRunning(entry.Process))];

    // A process may serve instances of one name in several stores.
    private static string NameOf(ServingEntry entry)
    {
        string[] words = entry.Process.Split(' ');
        string store = string.Create(CultureInfo.InvariantCulture, $"{entry.Store}\n{entry.Replica}");
        byte[] place = SHA256.HashData(Encoding.UTF8.GetBytes(store));
        return $"{entry.Instance}.{words.ElementAtOrDefault(1)}.{words.ElementAtOrDefault(3)}.{Convert.ToHexString(place.AsSpan(0, 4))}";
    }

    /// <summary>Whether an entry is about a process that can be judged from here.</summary>
    private static bool IsHere(ServingEntry entry) => entry.Machine.Length > 0 && entry.Machine == NamedProcess.Machine;

    private void RemoveDead()
    {
        foreach ((string path, ServingEntry entry) in Files())
        {
            if (IsHere(entry) && !NamedProcess.IsRunning(entry.Process))
            {
                File.Delete(path);
            }
        }
    }

    private List<(string Path, ServingEntry Entry)> Files()
    {
        var found = new List<(string, ServingEntry)>();
        if (folder.Length == 0 || !Platform.UsesLinuxCalls)
        {
            return found;
        }

        try
        {
            if (PathStatus.Of(folder) is not { IsFolder: true } status
                || SocketFolder.Objection(status, User) is not null)
            {
                return found;
            }

            foreach (FileInfo file in new DirectoryInfo(folder).GetFiles().OrderByDescending(static file => file.LastWriteTimeUtc))
            {
                if (IsTrusted(file.FullName) && file.Length < LongestEntry && ServingEntry.Parse(File.ReadAllText(file.FullName)) is
                    { } entry)
                {
                    found.Add((file.FullName, entry));
                }
            }
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // Not for this user, or just removed: what was found so far counts.
        }

        return found;
    }

    [SupportedOSPlatform("linux")]
    private uint User => user ?? SocketCalls.EffectiveUser();

    [SupportedOSPlatform("linux")]
    private bool IsTrusted(string path) => PathStatus.Of(path) is { IsFile: true, IsWritableByOthers: false } status
        && (status.Owner == 0 || status.Owner == User) && !path.EndsWith(".tmp", StringComparison.Ordinal);
}
