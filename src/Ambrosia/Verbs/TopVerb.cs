using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Operations;
using Ambrosia.LogStore.Catalog;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia top</c></summary>
internal sealed class TopVerb(Places places, Terminal terminal, Option<bool> json, TimeProvider time) : IVerb
{
    private readonly Option<double> _every = new("--every") { Description = "Seconds between two looks.", HelpName = "SECONDS", DefaultValueFactory = static _ => 1 };
    private readonly Option<bool> _once = new("--once") { Description = "Look twice, print one table, end. So it is, too, when the output is piped." };

    public Command Build()
    {
        var command = new Command("top", "A live table of all instances: role, position, lag, rates. Ctrl+C ends it.\n\nExample: ambrosia top --every 0.5") { _every, _once };
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        double seconds = parsed.GetValue(_every);
        if (seconds is not (>= 0.05 and <= 3600))
        {
            throw new CommandException(CommandExit.Usage, "--every takes 0.05 to 3600 seconds.");
        }

        bool once = parsed.GetValue(_once) || parsed.GetValue(json) || !terminal.IsInteractive;
        Dictionary<string, TopLook> before = await LookAsync(parsed, cancellationToken);
        long looked = time.GetTimestamp();
        while (await PauseAsync(TimeSpan.FromSeconds(seconds), cancellationToken))
        {
            Dictionary<string, TopLook> now = await LookAsync(parsed, cancellationToken);
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

    private async Task<Dictionary<string, TopLook>> LookAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ICatalog catalog = places.OpenCatalog(parsed);
        var found = new Dictionary<string, TopLook>(StringComparer.Ordinal);
        TokenRefusedException? refused = null;
        IEnumerable<string> names = (await catalog.ListAsync()).Select(static row => row.Entry.Instance);
        foreach (string name in names.Union(places.Serving(parsed), StringComparer.Ordinal))
        {
            CoordinatorStatus? status = null;
            try
            {
                using AdminClient admin = await places.ConnectAsync(parsed, name);
                status = await admin.TryStatusAsync(cancellationToken);
            }
            catch (TokenRefusedException refusal)
            {
                refused = refusal; // With --admin everybody's row asks at one address, whose token is that of one instance.
            }
            catch (IOException)
            {
                // Its log cannot be read, so its coordinator cannot be found. Its row has no figures; the others have theirs.
            }

            status = status?.Instance == name ? status : null;
            found[name] = new TopLook(status, status is null ? await SilenceAsync(parsed, name, catalog) : "");
        }

        return refused is null || found.Values.Any(static look => look.Status is not null) ? found : throw refused;
    }

    // Why nobody answers: without a lock on its log nobody runs it.
    private async Task<string> SilenceAsync(ParseResult parsed, string instance, ICatalog catalog)
    {
        try
        {
            string store = places.Store(parsed);
            InstanceFacts facts = await InstanceFacts.ReadAsync(instance, store, places.Log(parsed), catalog, places.Environment);
            return facts.State == "stopped" ? facts.State : "no answer";
        }
        catch (IOException)
        {
            return "no answer"; // What is wrong with its log 'ambrosia doctor' says.
        }
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
