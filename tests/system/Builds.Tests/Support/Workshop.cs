using Microsoft.CodeAnalysis;

namespace Ambrosia.Builds.Tests.Support;

/// <summary>A folder in which builds are made and run, each on its own log.</summary>
internal sealed class Workshop : IDisposable
{
    /// <summary>Where builds and logs are.</summary>
    public string Folder { get; } = Directory.CreateTempSubdirectory("builds-").FullName;

    /// <summary>Builds the shop, and a library that it refers to if there is a text for one; with a text in its resources.</summary>
    public string Compile(
        string source, string name, OptimizationLevel optimization = OptimizationLevel.Release, string library = "", string text = "")
    {
        string path = Path.Combine(Folder, name, "Shop.dll");
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        Compiler.Build(source, path, optimization, library, text);
        return path;
    }

    /// <summary>A log on which a build has executed something, and was killed; with a checkpoint behind it if it saves.</summary>
    public void Log(string name, string build, bool saves, Action<ShopProcess> work)
    {
        string folder = Path.Combine(Folder, name);
        using var shop = new ShopProcess(build, folder);
        Assert.True(shop.Until("primary") is not null, shop.Output);
        work(shop);
        if (saves)
        {
            Save(shop, folder);
        }

        shop.Kill();
    }

    /// <summary>Has the shop take a checkpoint, and waits for it.</summary>
    public static void Save(ShopProcess shop, string folder)
    {
        shop.Call("Save");
        DateTime deadline = DateTime.UtcNow + TimeSpan.FromMinutes(1);
        while (Checkpoints(folder).Length < 2)
        {
            Assert.True(DateTime.UtcNow < deadline, "no checkpoint within a minute");
            Thread.Sleep(10);
        }
    }

    /// <summary>The files of the checkpoints that a folder holds.</summary>
    public static string[] Checkpoints(string folder) => Directory.GetFiles(folder, "*.ckpt", SearchOption.AllDirectories);

    /// <summary>A copy of a log, for one build to go on with.</summary>
    public string Copy(string log, int edit)
    {
        string copy = Path.Combine(Folder, $"{log}-{edit}");
        foreach (string file in Directory.EnumerateFiles(Path.Combine(Folder, log), "*", SearchOption.AllDirectories))
        {
            string to = Path.Combine(copy, Path.GetRelativePath(Path.Combine(Folder, log), file));
            Directory.CreateDirectory(Path.GetDirectoryName(to)!);
            File.Copy(file, to);
        }

        return copy;
    }

    /// <summary>Whether a build goes on with a log, with this state, or what it refuses.</summary>
    public static string Outcome(string folder, string build, string state)
    {
        using var process = new ShopProcess(build, folder);
        if (process.Until("primary") is not null)
        {
            string found = process.State();
            return found.Contains(state, StringComparison.Ordinal) ? Edit.Goes : $"goes on with another state: {found}";
        }

        Assert.True(process.ExitCode is (int)AppExitCode.BuildRefused or (int)AppExitCode.Failed,
            $"exit {process.ExitCode}: {process.Output}");
        return process.Output.Contains("other code: ", StringComparison.Ordinal) ? Edit.Other : Edit.Lost;
    }

    public void Dispose() => Directory.Delete(Folder, recursive: true);
}
