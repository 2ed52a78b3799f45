using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Cli.Verbs;

namespace Ambrosia.Cli.History;

/// <summary><c>ambrosia retest INSTANCE -- NEW PROGRAM</c></summary>
internal sealed class RetestVerb(Places places, Terminal terminal, Option<bool> json, TimeProvider time) : IVerb
{
    private readonly Comparison _comparison = new(places, terminal, json, time);
    private readonly Option<string> _against = new("--against")
    {
        Description = "Command of the old version, in quotes: both are fed the same messages and compared to the byte. Without it the "
            + "log's own digests and checkpoints are compared with.",
        HelpName = "COMMAND",
    };

    public Command Build()
    {
        var command = new Command("retest", """
            Retroactive test: runs the logged traffic of an instance through new code, in isolation, and tells what it does otherwise. Ends with 0 when nothing differs, with 65 when something does.

            Example: ambrosia retest bank --against 'dotnet old/Bank.dll' --junit retest.xml -- dotnet new/Bank.dll
            """);
        _comparison.AddTo(command);
        command.Options.Add(_against);
        _comparison.AddUpgradeTo(command);
        command.SetAction((parsed, cancellationToken) => _comparison.RunAsync(
            parsed, parsed.GetValue(_against) is { Length: > 0 } text ? CommandWords.Split(text)
            : null, "the new version does the same", cancellationToken));
        return command;
    }
}
