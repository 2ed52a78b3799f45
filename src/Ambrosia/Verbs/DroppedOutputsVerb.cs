using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.State;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia deadletters dropped NAME</c>: what is kept of outputs that were dropped (exactly-once.md H26).</summary>
internal sealed class DroppedOutputsVerb(Places places, Terminal terminal, Option<bool> json) : IVerb
{
    private readonly Argument<string> _name = new("name") { Description = "Instance." };

    private readonly Option<string> _folder = new("--dropped-outputs")
    {
        Description = "Folder of the dropped outputs, as the coordinator's option.", HelpName = "FOLDER",
    };

    public Command Build()
    {
        var command = new Command(
            "dropped",
            "Show what is kept of outputs that were dropped, a line for each decision.\n\nExample: ambrosia deadletters dropped bank")
        {
            _name, _folder,
        };
        command.SetAction(List);
        return command;
    }

    private int List(ParseResult parsed)
    {
        string name = parsed.GetValue(_name)!;
        string folder = places.DroppedOutputs(parsed, name, parsed.GetValue(_folder));
        var decisions = new List<DroppedDecision>();
        if (Directory.Exists(folder))
        {
            foreach (string path in Directory.EnumerateFiles(folder, "*" + DroppedFile.Ending).Order(StringComparer.Ordinal))
            {
                if (DroppedDecision.Read(path) is { } decision)
                {
                    decisions.Add(decision);
                }
            }
        }

        if (parsed.GetValue(json))
        {
            terminal.Json(decisions);
        }
        else if (decisions.Count == 0)
        {
            terminal.Line($"{name} has dropped no outputs: there are none in {folder}.");
        }
        else
        {
            terminal.Table(["TO", "EPOCH", "FIRST", "LAST", "MESSAGES", "CALLS", "IMPULSES", "FILE"], [.. decisions.Select(Row)]);
        }

        return (int)CommandExit.Done;
    }

    private static string[] Row(DroppedDecision decision) =>
    [
        decision.To, decision.Epoch, Text(decision.First), Text(decision.Last), Text(decision.Messages), Text(decision.Calls),
        Text(decision.Impulses), decision.IsWhole ? decision.File : decision.File + " (damaged; what lies before is counted)",
    ];

    private static string Text(IFormattable number) => number.ToString(null, CultureInfo.InvariantCulture);
}
