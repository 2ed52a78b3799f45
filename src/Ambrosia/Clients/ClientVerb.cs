using System.CommandLine;
using System.Text.Json;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Context;

namespace Ambrosia.Cli.Clients;

/// <summary><c>ambrosia client</c>: what calls an immortal from outside, made of what an address offers. <c>typescript</c> makes a package.
/// </summary>
internal sealed class ClientVerb(Terminal terminal, Option<bool> json) : IVerb
{
    private const string Manifest = "package.json";
    private const string Readme = "README.md";
    private readonly MadeFiles _files = new(terminal, json);
    private readonly Option<string> _from = new("--from")
    {
        Description = "Address for calls from outside of a running instance, or a file with its openapi.json.", HelpName = "URL|FILE",
        Required = true,
    };

    private readonly Option<string> _output = new("--output", "-o", "--out")
        { Description = "Folder to write the package into.", HelpName = "FOLDER", Required = true };

    private readonly Option<string?> _name = new("--name")
        { Description = "Name of the package. Default: that of the package in the folder, or of the folder.", HelpName = "NAME" };

    private readonly Option<string?> _version = new("--package-version")
        { Description = "Its version. Default: that of the package in the folder, or 0.1.0.", HelpName = "VERSION" };

    private readonly Option<string?> _tokenFile = new("--token-file")
        { Description = "File with the token of a caller, where --ingress-tokens asks for one.", HelpName = "FILE" };

    private readonly Option<bool> _check = new("--check")
        { Description = "Write nothing; exit code 65 if the package in the folder is another one." };

    private readonly Option<bool> _overwrite = new("--overwrite") { Description = "Write into a folder that holds something else." };

    public Command Build()
    {
        var command = new Command(
            "client", "Make a client that calls an immortal from outside.\n\n"
                + "Example: ambrosia client typescript --from http://127.0.0.1:8080 --output shop-client");
        var typescript = new Command(
            "typescript", "Make a package for npm, typed by what an address for calls from outside offers: ES modules with "
                + "declarations, for browsers and Node.js, without dependencies.\n\n"
                + "Example: ambrosia client typescript --from http://127.0.0.1:8080 --output shop-client --name @acme/shop-client")
        {
            _from, _output, _name, _version, _tokenFile, _check, _overwrite,
        };
        typescript.SetAction(RunAsync);
        command.Subcommands.Add(typescript);
        command.Subcommands.Add(new ProtoClient(terminal, json).Build());
        return command;
    }

    /// <inheritdoc/>
    public bool Uses(Option common) => common == json;

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string folder = parsed.GetValue(_output)!;
        (string? name, string? version) = Known(parsed, folder);
        string source = parsed.GetValue(_from)!;
        byte[] document = await ContractSource.ReadAsync(
            source, ContractSource.OpenApi, parsed.GetValue(_tokenFile), cancellationToken);
        var unknown = new SortedSet<string>(StringComparer.Ordinal);
        TypeScriptModel model;
        try
        {
            model = new TypeScriptModel(OpenApiReader.Read(document, place => unknown.Add(place)));
        }
        catch (JsonException error)
        {
            throw ContractSource.Unusable(source, ContractSource.OpenApi, error.Message);
        }

        name ??= NpmPackage.NameFor(folder, model);
        SortedDictionary<string, string> files =
            NpmPackage.Files(model, name, version ?? NpmPackage.FirstVersion, MadeManifest(folder));
        if (Path.Combine(folder, Readme) is var own && File.Exists(own) && !NpmPackage.IsMadeReadme(File.ReadAllText(own)))
        {
            files.Remove(Readme); // Somebody has written another one.
        }

        foreach (string place in unknown)
        {
            terminal.Error($"{place}. Its type is 'unknown' in the package.");
        }

        return (int)(parsed.GetValue(_check) ? _files.Compare(parsed, folder, files) : _files.Write(
            parsed, folder, files, new { folder, name, files = files.Count },
            $"Wrote {Counted.Of(files.Count, "file")} of {name} into {folder}. Next: npm install "
                + $"{(Path.IsPathRooted(folder) || folder.StartsWith('.') ? folder : $"./{folder}")}"));
    }

    // What the package in the folder is called, unless the command says otherwise.
    private (string? Name, string? Version) Known(ParseResult parsed, string folder)
    {
        (string? Name, string? Version)? made = MadeManifest(folder) is { } manifest ? NpmPackage.Made(manifest) : null;
        if (made is null && Directory.Exists(folder) && Directory.EnumerateFileSystemEntries(folder).Any() && !parsed.GetValue(_overwrite)
            && !parsed.GetValue(_check))
        {
            throw new CommandException(CommandExit.Refused,
                $"{folder} holds something else than a package that was made here. Nothing was written: choose another folder, or "
                + "--overwrite writes into it.");
        }

        string? name = parsed.GetValue(_name) ?? made?.Name;
        string? version = parsed.GetValue(_version) ?? made?.Version;
        return name is not null && !NpmPackage.IsName(name) ? throw new CommandException(CommandExit.Usage,
                $"--name {name}: npm takes no such name. Write small letters, digits and dashes, as shop-client or @acme/shop-client.")
            : version is not null && !NpmPackage.IsVersion(version) ? throw new CommandException(CommandExit.Usage,
                $"--package-version {version}: npm takes no such version. Write one as 1.2.3.")
            : (name, version);
    }

    // The manifest of a package that was made here; null if there is none.
    private static string? MadeManifest(string folder) =>
        Path.Combine(folder, Manifest) is var path && File.Exists(path) && File.ReadAllText(path) is var text
        && NpmPackage.Made(text) is not null ? text : null;
}
