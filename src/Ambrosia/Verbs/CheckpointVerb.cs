using System.CommandLine;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia checkpoint NAME</c></summary>
internal sealed class CheckpointVerb(Places places, Terminal terminal, Option<bool> json) : IVerb
{
    private readonly Argument<string> _name = new("name") { Description = "Instance." };

    public Command Build()
    {
        var command = new Command("checkpoint", "Take a checkpoint of a running instance; returns when it is durable.\n\nExample: ambrosia checkpoint bank --admin 127.0.0.1:8080") { _name };
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string name = parsed.GetValue(_name)!;
        using var admin = new AdminClient(places.Admin(parsed, name));
        string said = await admin.CheckpointAsync(cancellationToken);
        if (parsed.GetValue(json))
        {
            terminal.Json(new { instance = name, said });
        }
        else
        {
            terminal.Line($"{name}: {said}");
        }

        return (int)CommandExit.Done;
    }
}
