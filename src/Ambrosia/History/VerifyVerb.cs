using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Cli.Verbs;

namespace Ambrosia.Cli.History;

/// <summary><c>ambrosia verify INSTANCE -- PROGRAM</c></summary>
internal sealed class VerifyVerb(Places places, Terminal terminal, Option<bool> json, TimeProvider time) : IVerb
{
    private readonly Comparison _comparison = new(places, terminal, json, time);

    public Command Build()
    {
        var command = new Command("verify", """
            Proves an app deterministic, or names the first message that is not: replays the log into two processes of it, one of which is killed and recovered at checkpoints on the way, and compares outputs and states, with each other and with the log.

            Example: ambrosia verify bank -- dotnet Bank.dll
            """);
        _comparison.AddTo(command);
        command.SetAction((parsed, cancellationToken) =>
            _comparison.RunAsync(parsed, [], "it is deterministic as far as this log shows", cancellationToken));
        return command;
    }
}
