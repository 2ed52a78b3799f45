using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia effects run|fail NAME KEY</c>: decides about an effect that is held, or has no hope of an outcome.</summary>
internal sealed class EffectsVerb(Places places, Terminal terminal, Option<bool> json) : IVerb
{
    private readonly Argument<string> _name = new("name") { Description = "Instance." };
    private readonly Argument<string> _key = new("key") { Description = "The effect, as in status and the app's log: 4712:0:1." };
    private readonly Option<string> _reason = new("--reason")
    {
        Description = "What the handler is told that awaits it.", HelpName = "TEXT",
    };

    public Command Build()
    {
        var run = new Command(
            "run",
            "Perform an effect that is held, since processes ended while it was performed.\n\n"
            + "Example: ambrosia effects run shop 4712:0:1")
        {
            _name, _key,
        };
        run.SetAction((parsed, cancellationToken) => DecideAsync(parsed, "run", "", cancellationToken));
        var fail = new Command(
            "fail",
            "Give up a pending effect: its await throws EffectGivenUpException. Whether it was performed is unknown.\n\n"
            + "Example: ambrosia effects fail shop 4712:0:1 --reason \"charged by hand\"")
        {
            _name, _key, _reason,
        };
        fail.SetAction((parsed, cancellationToken) => DecideAsync(parsed, "fail",
            parsed.GetValue(_reason) is { Length: > 0 } reason ? $"?reason={Uri.EscapeDataString(reason)}" : "", cancellationToken));
        return new Command(
            "effects",
            "Decide about an effect on the outside; 'ambrosia status NAME' shows them.\n\n"
            + "Example: ambrosia effects run shop 4712:0:1")
        {
            run, fail,
        };
    }

    private async Task<int> DecideAsync(ParseResult parsed, string verb, string query, CancellationToken cancellationToken)
    {
        string name = parsed.GetValue(_name)!;
        string request = $"effects/{Uri.EscapeDataString(parsed.GetValue(_key)!)}/{verb}{query}";
        string said = await places.AskAsync(parsed, name, replica: null, admin => admin.PostAsync(request, cancellationToken));
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
