using System.Diagnostics;
using System.Globalization;

namespace Shop;

/// <summary>The processes that 'ambrosia run' has started: each has it as its parent. Read from /proc, so on Linux only.</summary>
internal static class Parts
{
    /// <summary>What can be killed.</summary>
    public static IReadOnlyList<string> All { get; } = ["orders", "orders coordinator", "warehouse", "warehouse coordinator", "web"];

    /// <summary>The parent of this process.</summary>
    public static int OwnParent => ParentOf("/proc/self");

    /// <summary>The ids of those that are running, by their names.</summary>
    /// <param name="parent">The process of 'ambrosia run'.</param>
    public static IReadOnlyDictionary<string, int> Running(int parent)
    {
        var found = new Dictionary<string, int>();
        foreach (string folder in Directory.Exists("/proc") ? Directory.GetDirectories("/proc") : [])
        {
            if (int.TryParse(Path.GetFileName(folder), CultureInfo.InvariantCulture, out int id)
                && ParentOf(folder) == parent && NameOf(folder) is { } name)
            {
                found[name] = id;
            }
        }

        return found;
    }

    /// <summary>SIGKILL, to one of those. False if it does not run just now.</summary>
    public static bool Kill(int parent, string part)
    {
        if (!Running(parent).TryGetValue(part, out int id))
        {
            return false;
        }

        try
        {
            using Process process = Process.GetProcessById(id);
            process.Kill();
            return true;
        }
        catch (ArgumentException)
        {
            return false; // It has ended by itself.
        }
    }

    private static string? NameOf(string folder)
    {
        string[] words = Read(folder, "cmdline").Split('\0');
        int instance = Array.IndexOf(words, "--instance-name");
        string name = instance > 0 ? $"{words[instance + 1]} coordinator" : words.ElementAtOrDefault(2) ?? "";
        return All.Contains(name) ? name : null;
    }

    // "17 (dotnet) S 12 ...": the name in brackets may hold anything, so what follows the last bracket counts.
    private static int ParentOf(string folder)
    {
        string[] words = Read(folder, "stat") is { Length: > 0 } text ? text[(text.LastIndexOf(')') + 2)..].Split(' ') : ["", "0"];
        return words[0] == "Z" ? 0 : int.Parse(words[1], CultureInfo.InvariantCulture);
    }

    private static string Read(string folder, string file)
    {
        try
        {
            return File.ReadAllText(Path.Combine(folder, file));
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
