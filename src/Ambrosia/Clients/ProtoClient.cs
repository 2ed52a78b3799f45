using System.CommandLine;
using System.Text;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Clients;

/// <summary><c>ambrosia client proto</c>: the typed service of an immortal as a file, of which tools make clients.</summary>
internal sealed class ProtoClient(Terminal terminal, Option<bool> json)
{
    private readonly MadeFiles _files = new(terminal, json);
    private readonly Option<string> _from = new("--from")
    {
        Description = "Address for calls from outside of a running instance, or a file with its service.proto.", HelpName = "URL|FILE",
        Required = true,
    };

    private readonly Option<string> _output = new("--output", "-o", "--out")
    {
        Description = "Folder for .proto files. The file goes below it, where its package says.", HelpName = "FOLDER", Required = true,
    };

    private readonly Option<string?> _tokenFile = new("--token-file")
        { Description = "File with the token of a caller, where --ingress-tokens asks for one.", HelpName = "FILE" };

    private readonly Option<bool> _check = new("--check")
        { Description = "Write nothing; exit code 65 if the file in the folder is another one." };

    private readonly Option<bool> _overwrite = new("--overwrite") { Description = "Replace a file there that was not made here." };

    /// <summary>Name, options, help and action.</summary>
    public Command Build()
    {
        var command = new Command(
            "proto", "Write the typed gRPC service of an address for calls from outside as a .proto file, for tools that generate "
                + "clients in any language. It has the methods that the caller may call.\n\n"
                + "Example: ambrosia client proto --from http://127.0.0.1:8080 --output protos")
        {
            _from, _output, _tokenFile, _check, _overwrite,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string folder = parsed.GetValue(_output)!;
        string source = parsed.GetValue(_from)!;
        string text = Encoding.UTF8.GetString(
            await ContractSource.ReadAsync(source, ContractSource.Proto, parsed.GetValue(_tokenFile), cancellationToken));
        ProtoContract contract = ProtoContract.Read(text)
            ?? throw ContractSource.Unusable(source, ContractSource.Proto, "it is no typed service of an immortal");
        foreach (string missing in contract.Missing)
        {
            terminal.Error(missing);
        }

        if (contract.Methods.Count == 0)
        {
            throw ContractSource.Unusable(
                source, ContractSource.Proto, "it offers no methods to this caller that a typed service can have");
        }

        var files = new Dictionary<string, string> { [contract.File] = text };
        if (parsed.GetValue(_check))
        {
            return (int)_files.Compare(parsed, folder, files);
        }

        RequireOwn(Path.Combine(folder, contract.File), contract, parsed.GetValue(_overwrite));
        return (int)_files.Write(
            parsed, folder, files,
            new { folder, file = contract.File, service = $"{contract.Package}.{contract.Service}", methods = contract.Methods },
            $"Wrote {contract.File} with {Counted.Of(contract.Methods.Count, "method")} into {folder}. Next: give it to protoc, buf or "
                + $"Grpc.Tools, with {folder} as the import path.");
    }

    private static void RequireOwn(string path, ProtoContract contract, bool overwrites)
    {
        if (!overwrites && File.Exists(path) && ProtoContract.Read(File.ReadAllText(path))?.Package != contract.Package)
        {
            throw new CommandException(
                CommandExit.Refused,
                $"{path} holds something else than a service that was made here. Nothing was written: choose another folder, or "
                    + "--overwrite replaces it.");
        }
    }
}
