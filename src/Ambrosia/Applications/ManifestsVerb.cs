using System.CommandLine;
using System.Text.Encodings.Web;
using System.Text.Json;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Context;

namespace Ambrosia.Cli.Applications;

/// <summary><c>ambrosia manifests compose</c> and <c>kubernetes</c></summary>
internal sealed class ManifestsVerb(Terminal terminal, Option<bool> json) : IVerb
{
    private readonly Option<string> _file = new("--file", "-f")
    {
        Description = "The application's file.", HelpName = "FILE", DefaultValueFactory = static _ => "app.json",
    };

    private readonly Option<string?> _output = new("--output", "-o")
    {
        Description = "Where to write: a file for Compose, a folder for Kubernetes. Without it, the text is printed.", HelpName = "PATH",
    };

    private readonly Option<bool> _overwrite = new("--overwrite") { Description = "Write over files that say something else." };

    private readonly Option<string> _coordinator = new("--coordinator-image")
    {
        Description = "Image of the coordinator.", HelpName = "IMAGE",
        DefaultValueFactory = static _ => $"ambrosia/coordinator:{CoordinatorVersion.Text}",
    };

    public Command Build()
    {
        var command = new Command(
            "manifests", "Make files for Compose or Kubernetes of the file that 'ambrosia run -f' runs.\n\n"
                + "Example: ambrosia manifests kubernetes -f app.json --output k8s");
        command.Subcommands.Add(KindOf(
            "compose", "Make a file for Compose: each immortal with its coordinator in one container.\n\n"
                + "Example: ambrosia manifests compose -f app.json --output compose.yaml",
            parsed => new SortedDictionary<string, string> { ["compose.yaml"] = ComposeFile.Of(WithoutReplicas(Read(parsed))) }));
        Command kubernetes = KindOf(
            "kubernetes", "Make a folder for Kustomize: a pod with app and coordinator for each immortal.\n\n"
                + "Example: ambrosia manifests kubernetes -f app.json --output k8s",
            parsed => KubernetesFiles.Of(Read(parsed), ImageName.Parse(parsed.GetValue(_coordinator)!, _coordinator.Name)));
        kubernetes.Options.Add(_coordinator);
        command.Subcommands.Add(kubernetes);
        return command;
    }

    private Command KindOf(string name, string description, Func<ParseResult, SortedDictionary<string, string>> make)
    {
        var command = new Command(name, description) { _file, _output, _overwrite };
        command.SetAction(parsed => (int)Give(parsed, make(parsed), isOneFile: name == "compose"));
        return command;
    }

    private Application Read(ParseResult parsed) => ApplicationFile.Read(parsed.GetValue(_file)!);

    private Application WithoutReplicas(Application application)
    {
        foreach (Member member in application.Immortals.Where(static member => member.Replicas > 1))
        {
            terminal.Error($"{member.Name}: one container, not {member.Replicas} replicas. On one machine they would end with "
                + $"it together.");
        }

        return application;
    }

    private CommandExit Give(ParseResult parsed, SortedDictionary<string, string> files, bool isOneFile)
    {
        if (parsed.GetValue(_output) is not { Length: > 0 } output)
        {
            Print(parsed, files);
            return CommandExit.Done;
        }

        (string Path, string Text)[] targets = [.. files.Select(file => (isOneFile ? output : Path.Combine(output, file.Key), file.Value))];
        string[] others =
        [
            .. targets.Where(static target => File.Exists(target.Path) && File.ReadAllText(target.Path) != target.Text)
                .Select(static target => target.Path),
        ];
        if (others.Length > 0 && !parsed.GetValue(_overwrite))
        {
            throw new CommandException(CommandExit.Refused,
                $"{string.Join(", ", others)} {(others.Length == 1 ? "says" : "say")} something else. Nothing was written: "
                    + $"--overwrite writes over {(others.Length == 1 ? "it" : "them")}.");
        }

        foreach ((string path, string text) in targets)
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(path))!);
            File.WriteAllText(path, text);
        }

        Say(parsed, output, targets.Length, isOneFile);
        return CommandExit.Done;
    }

    private void Print(ParseResult parsed, SortedDictionary<string, string> files)
    {
        if (parsed.GetValue(json))
        {
            terminal.Json(files);
            return;
        }

        foreach ((string path, string text) in files)
        {
            if (files.Count > 1)
            {
                terminal.Line($"# ---- {path}");
            }

            terminal.Line(text.TrimEnd('\n'));
        }
    }

    private void Say(ParseResult parsed, string output, int count, bool isOneFile)
    {
        if (parsed.GetValue(json))
        {
            terminal.Json(new { output, files = count });
            return;
        }

        terminal.Line(isOneFile ? $"Wrote {output}. Next: docker compose -f {output} up"
            : $"Wrote {Counted.Of(count, "file")} into {output}. Each immortal needs a certificate in a secret of its own, NAME-tls; then: "
                + $"kubectl apply -k {output}");
    }
}
