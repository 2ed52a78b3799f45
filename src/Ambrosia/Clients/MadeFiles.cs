using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Clients;

/// <summary>Files of a client in a folder: written, or compared with what would be written.</summary>
internal sealed class MadeFiles(Terminal terminal, Option<bool> json)
{
    /// <summary>Says which of them would be made otherwise, and writes nothing.</summary>
    public CommandExit Compare(ParseResult parsed, string folder, IReadOnlyDictionary<string, string> files)
    {
        string[] others = [.. files.Keys.Where(file => !IsSame(Path.Combine(folder, file), files[file]))];
        if (parsed.GetValue(json))
        {
            terminal.Json(new { folder, differs = others });
        }
        else
        {
            terminal.Line(others.Length == 0 ? $"{folder} is what would be made." : $"Others would be made: {string.Join(", ", others)}");
        }

        return others.Length == 0 ? CommandExit.Done : CommandExit.Different;
    }

    /// <summary>Writes those that are not the same, and says so.</summary>
    /// <param name="parsed">What was asked for.</param>
    /// <param name="folder">The folder.</param>
    /// <param name="files">The files by their paths in it.</param>
    /// <param name="told">What is said of them as JSON.</param>
    /// <param name="text">The same for people.</param>
    public CommandExit Write(ParseResult parsed, string folder, IReadOnlyDictionary<string, string> files, object told, string text)
    {
        foreach ((string file, string content) in files)
        {
            string path = Path.Combine(folder, file);
            Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
            if (!IsSame(path, content))
            {
                File.WriteAllText(path, content);
            }
        }

        if (parsed.GetValue(json))
        {
            terminal.Json(told);
        }
        else
        {
            terminal.Line(text);
        }

        return CommandExit.Done;
    }

    private static bool IsSame(string path, string text) => File.Exists(path) && File.ReadAllText(path) == text;
}
