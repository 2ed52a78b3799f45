using System.Text.Json;
using Ambrosia.Cli.Commands;
using Ambrosia.LogStore.Catalog;

namespace Ambrosia.Cli.Applications;

/// <summary>
/// Reads the file that describes an application: JSON, with comments and trailing commas. What it does not know is refused, with the place.
/// </summary>
internal sealed class ApplicationFile
{
    private const int MostReplicas = 100;
    private readonly string _file;
    private readonly string _folder;

    private ApplicationFile(string file) => (_file, _folder) = (file, Path.GetDirectoryName(file)!);

    /// <summary>What the file describes.</summary>
    /// <exception cref="CommandException">It is not there, or says something wrong: the text says where.</exception>
    public static Application Read(string path)
    {
        string file = Path.GetFullPath(path);
        if (!File.Exists(file))
        {
            throw new CommandException(CommandExit.NotFound,
                $"There is no file {path}. An application's file says, for example, "
                    + """{ "immortals": { "bank": { "program": ["dotnet", "Bank.dll"] } } }.""");
        }

        return new ApplicationFile(file).Parse(File.ReadAllText(file));
    }

    private Application Parse(string text)
    {
        try
        {
            var options = new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip, AllowTrailingCommas = true };
            using var document = JsonDocument.Parse(text, options);
            return ApplicationOf(new JsonPlace(_file, "", document.RootElement));
        }
        catch (JsonException error)
        {
            throw new CommandException(CommandExit.Usage,
                $"{_file}, line {error.LineNumber + 1}, column {error.BytePositionInLine + 1}: this is not JSON. "
                    + error.Message.Split(" LineNumber:")[0]);
        }
    }

    private Application ApplicationOf(JsonPlace root)
    {
        root.Allow("$schema", "name", "immortals", "programs");
        Member[] members =
        [
            .. (root.Find("immortals")?.Children() ?? []).Select(place => MemberOf(place, isImmortal: true)),
            .. (root.Find("programs")?.Children() ?? []).Select(place => MemberOf(place, isImmortal: false)),
        ];
        if (members.Length == 0)
        {
            throw root.Wrong("names nothing to run: \"immortals\" holds a name and a \"program\" for each.");
        }

        if (members.GroupBy(static member => member.Name).FirstOrDefault(static group => group.Count() > 1) is { } twice)
        {
            throw root.Wrong($"'{twice.Key}' is the name of two members. Each needs one of its own.");
        }

        return new Application { Name = root.Find("name")?.Text() ?? NameOfFolder(), Members = members };
    }

    private string NameOfFolder() => new DirectoryInfo(_folder).Name is { Length: > 0 } name ? name : "application";

    private Member MemberOf(JsonPlace place, bool isImmortal)
    {
        if (isImmortal)
        {
            place.Allow("program", "arguments", "folder", "environment", "ports", "image", "replicas", "options");
        }
        else
        {
            place.Allow("program", "arguments", "folder", "environment", "ports", "image");
        }

        if (!InstanceName.IsValid(place.Name))
        {
            throw place.Wrong("is not a name: write 1 to 63 letters, digits, '.', '_' or '-', beginning with a letter or digit.");
        }

        IReadOnlyList<string> program = place.Need("program").Texts();
        if (program.Count == 0 || program[0].Length == 0)
        {
            throw place.Need("program").Wrong(
                "is empty: write the program and what stands before its arguments, as in [\"dotnet\", \"Bank.dll\"].");
        }

        string folder = Path.GetFullPath(place.Find("folder")?.Text() ?? ".", _folder);
        return new Member
        {
            Name = place.Name,
            IsImmortal = isImmortal,
            Program = [Located(program[0], folder), .. program.Skip(1)],
            Arguments = place.Find("arguments")?.Texts() ?? [],
            Folder = folder,
            Environment = VariablesOf(place),
            Ports = PortsOf(place),
            Image = place.Find("image")?.Text() ?? "",
            Replicas = place.Find("replicas")?.Number(1, MostReplicas) ?? 1,
            Options = place.Find("options")?.Texts() ?? [],
        };
    }

    // A path is one from the folder that the program is started in; a bare word is looked for by the system.
    private static string Located(string program, string folder) => program.Contains('/') ? Path.GetFullPath(program, folder) : program;

    private static IReadOnlyList<int> PortsOf(JsonPlace place)
    {
        IReadOnlyList<int> ports = place.Find("ports")?.Numbers(1, 65535) ?? [];
        return ports.Distinct().Count() == ports.Count ? ports : throw place.Need("ports").Wrong("name one twice.");
    }

    private static SortedDictionary<string, string> VariablesOf(JsonPlace place)
    {
        var variables = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (JsonPlace variable in place.Find("environment")?.Children() ?? [])
        {
            if (variable.Name.Length == 0 || variable.Name.Contains('=') || variable.Name.Contains('\0'))
            {
                throw variable.Wrong("is not the name of a variable.");
            }

            if (!variables.TryAdd(variable.Name, variable.Text()))
            {
                throw variable.Wrong("stands there twice.");
            }
        }

        return variables;
    }
}
