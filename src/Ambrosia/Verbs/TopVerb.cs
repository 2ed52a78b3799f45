using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Operations;
using Ambrosia.LogStore.Catalog;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia top</c></summary>
internal sealed class TopVerb(Places places, Terminal terminal, Option<bool> json, TimeProvider time) : IVerb
{
    private readonly InstanceLooks _looks = new(places);
    private readonly OverviewPage _page = new(places, terminal, time);
    private readonly Option<double> _every = new("--every")
        { Description = "Seconds between two looks.", HelpName = "SECONDS", DefaultValueFactory = static _ => 1 };
    private readonly Option<bool> _once = new("--once")
        { Description = "Look twice, print one table, end. So it is, too, when the output is piped." };

    public Command Build()
    {
        var command = new Command("top", "A live table of all instances, or a page: role, position, lag, rates. Ctrl+C ends it.\n\n"
            + "Example: ambrosia top --every 0.5\nExample: ambrosia top --web") { _every, _once };
        _page.AddTo(command);
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        if (_page.IsWanted(parsed))
        {
            return await _page.ServeAsync(parsed, cancellationToken);
        }

        double seconds = parsed.GetValue(_every);
        if (seconds is not (>= 0.05 and <= 3600))
        {
            throw new CommandException(CommandExit.Usage, "--every takes 0.05 to 3600 seconds.");
        }

        bool once = parsed.GetValue(_once) || parsed.GetValue(json) || !terminal.IsInteractive;
        Dictionary<string, TopLook> before = await _looks.AtAllAsync(parsed, cancellationToken);
        long looked = time.GetTimestamp();
        while (await PauseAsync(TimeSpan.FromSeconds(seconds), cancellationToken))
        {
            Dictionary<string, TopLook> now = await _looks.AtAllAsync(parsed, cancellationToken);
            TimeSpan between = time.GetElapsedTime(looked);
            IEnumerable<string> names = now.Keys.Order(StringComparer.Ordinal);
            TopRow[] rows = [.. names.Select(name => TopRow.Of(name, before.GetValueOrDefault(name).Status, now[name], between))];
            looked = time.GetTimestamp();
            Show(parsed, rows);
            if (once)
            {
                break;
            }

            before = now;
        }

        return (int)CommandExit.Done;
    }

    private void Show(ParseResult parsed, TopRow[] rows)
    {
        if (parsed.GetValue(json))
        {
            terminal.Json(rows);
            return;
        }

        terminal.Clear();
        if (rows.Length == 0)
        {
            terminal.Line($"No entries in {places.Catalog(parsed)}.");
            return;
        }

        terminal.Table(
            ["INSTANCE", "ROLE", "EPOCH", "DURABLE", "APP", "LAG", "IN/S", "LOGGED/S", "OUT/S", "WAITING", "CHECKPOINT", "RECOVERY"],
            [.. rows.Select(static row => row.Cells)]);
    }

    private async Task<bool> PauseAsync(TimeSpan pause, CancellationToken cancellationToken)
    {
        try
        {
            await Task.Delay(pause, time, cancellationToken);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }
}
