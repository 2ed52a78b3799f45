using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Upgrades;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia status [NAME]</c></summary>
internal sealed class StatusVerb(Places places, Terminal terminal, Option<bool> json) : IVerb
{
    private readonly Argument<string> _name = new("name")
        { Description = "Instance; all of the catalog when left away.", Arity = ArgumentArity.ZeroOrOne };

    public Command Build()
    {
        var command = new Command("status", "Show instances, or one in detail.\n\nExample: ambrosia status bank") { _name };
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ICatalog catalog = places.OpenCatalog(parsed);
        string? name = parsed.GetValue(_name);
        return (int)(string.IsNullOrEmpty(name) ? await ShowAllAsync(parsed, catalog)
            : await ShowOneAsync(parsed, catalog, name, cancellationToken));
    }

    private async Task<CommandExit> ShowAllAsync(ParseResult parsed, ICatalog catalog)
    {
        var facts = new List<InstanceFacts>();
        var damaged = new List<LogStoreException>();
        IEnumerable<string> names = (await catalog.ListAsync(damaged)).Select(static row => row.Entry.Instance);
        foreach (string name in names.Union(places.Serving(parsed), StringComparer.Ordinal).Order(StringComparer.Ordinal))
        {
            facts.Add(await InstanceFacts.TryReadAsync(name, places.Store(parsed), places.Log(parsed), catalog, places.Environment));
        }

        if (parsed.GetValue(json))
        {
            terminal.Json(facts);
        }
        else if (facts.Count == 0)
        {
            terminal.Line($"No instances in {places.Catalog(parsed)}.");
        }
        else
        {
            terminal.Table(
                ["INSTANCE", "STATE", "EPOCH", "CHECKPOINT", "SEGMENTS", "ADDRESS"],
                [.. facts.Select(static f =>
                    new[] { f.Instance, f.State, Text(f.Epoch), Text(f.CheckpointLsn), Text(f.Segments), f.PeerAddress })]);
        }

        InstanceFacts[] wrong = [.. facts.Where(static f => f.Trouble.Length > 0)];
        wrong.ToList().ForEach(f => terminal.Error($"{f.Instance}: {f.Trouble}"));
        damaged.ForEach(failure => terminal.Error(failure.Message));
        return wrong.Length + damaged.Count == 0 ? CommandExit.Done
            : damaged.Count > 0 || wrong.Any(static f => f.State == InstanceFacts.Damaged) ? CommandExit.Different
            : CommandExit.Failed;
    }

    private async Task<CommandExit> ShowOneAsync(ParseResult parsed, ICatalog catalog, string name, CancellationToken cancellationToken)
    {
        using AdminClient admin = await places.ConnectAsync(parsed, name);
        CoordinatorStatus? live = await admin.TryStatusAsync(cancellationToken);
        WaitingStatus? waiting = live is null ? null : await admin.TryWaitingAsync(cancellationToken);
        InstanceFacts facts = await InstanceFacts.ReadAsync(name, places.Store(parsed), places.Log(parsed), catalog, places.Environment);
        if (live is null && facts.IsUnknown)
        {
            throw places.NotFound(parsed, name);
        }

        if (parsed.GetValue(json))
        {
            terminal.Json(new { facts, live, waiting });
            return CommandExit.Done;
        }

        // A coordinator that was named by its admin address may keep its log where this command does not look.
        IEnumerable<string[]> known = live is not null && facts.State == "absent" ? DescribeFarAway(live) : Describe(facts);
        string silence = facts.State == "running" ? $"does not answer at {await places.AdminAsync(parsed, name)}" : "none runs";
        IEnumerable<string[]> said = live is null ? [["coordinator", $"{silence}: this is what the store says"]]
            : [.. Describe(live), .. WaitingRows.Of(waiting)];
        terminal.Table(["WHAT", "VALUE"], [.. known, .. said]);
        return CommandExit.Done;
    }

    private static IEnumerable<string[]> Describe(InstanceFacts facts) =>
    [
        ["instance", facts.Instance],
        ["state", facts.ProcessId > 0 ? $"{facts.State}, process {facts.ProcessId}" : facts.State],
        .. facts.Replicas.Select(static replica =>
            new[] { $"replica {Text(replica.Number)}", $"{replica.Role}, process {Text(replica.ProcessId)}" }),
        ["identity", facts.InstanceId],
        ["epoch", Text(facts.Epoch)],
        ["log", $"{Counted.Of(facts.Segments, "segment")} from LSN {facts.OldestLsn} in {facts.Location}"],
        ["checkpoints", facts.Checkpoints == 0 ? "none" : $"{facts.Checkpoints}, newest at LSN {facts.CheckpointLsn}"],
        ["address", facts.PeerAddress],
    ];

    private static IEnumerable<string[]> DescribeFarAway(CoordinatorStatus live) =>
    [
        ["instance", live.Instance],
        ["state", "running; its log is in another store than this command's"],
        ["identity", live.InstanceId],
        ["epoch", Text(live.Epoch)],
        ["checkpoints", $"newest at LSN {live.Checkpoints.NewestLsn}"],
        ["address", live.PeerAddress],
    ];

    private static IEnumerable<string[]> Describe(CoordinatorStatus live)
    {
        yield return ["role", live.Ready ? live.Role : $"{live.Role}: {live.NotReadyReason}"];
        yield return ["durable", $"LSN {live.Log.DurableLsn}, app at {live.App.Lsn}, {Counted.Of(live.App.LagBytes, "byte")} behind"];
        if (live.App.StateVersion.Length > 0)
        {
            yield return ["version", live.App.StateVersion];
        }

        if (live.Upgrade.State.Length > 0)
        {
            yield return ["upgrade", live.Upgrade.Text.Length > 0 ? $"{live.Upgrade.State}: {live.Upgrade.Text}"
                : $"{live.Upgrade.State}: {live.Upgrade.From} to {live.Upgrade.To} after record {live.Upgrade.Lsn}"];
        }

        foreach (EffectStatus effect in live.App.Effects)
        {
            yield return ["effect " + effect.Method, Describe(effect)];
        }

        foreach (ScheduleStatus schedule in live.App.Schedules ?? []) // A coordinator of an earlier release tells of none.
        {
            yield return ["schedule " + schedule.Name, Describe(schedule)];
        }

        foreach (CompensationStatus saga in live.App.Compensations ?? [])
        {
            yield return ["saga " + saga.Saga, Describe(saga)];
        }

        foreach (InputStatus input in live.Inputs)
        {
            // Callers from outside are many, and none of them is connected in this sense.
            string state = !InstanceName.IsValid(input.Peer) ? "" : input.Connected ? "connected, " : "not connected, ";
            yield return ["from " + input.Peer, state + Counted.Of(input.Total, "message")];
        }

        // A coordinator of an earlier release tells of none.
        if (live.Outside is { } outside && outside is not { Kept: 0, Admitted: 0, Waiting: 0 })
        {
            string kept = $"{Counted.Of(outside.Kept, "call")} kept, {Text(outside.Pending)} pending, "
                + $"{Counted.Of(outside.AnswerBytes, "byte")} of answers";
            string done = $"{Text(outside.Admitted)} admitted, {Counted.Of(outside.Repeated, "repeat")}, {Text(outside.Waiting)} waiting";
            yield return ["outside", $"{kept}; {done}"];
        }

        foreach (OutputStatus output in live.Outputs)
        {
            string state = $"{(output.Connected ? "connected" : "not connected")}, {output.Acknowledged} of {output.Total} confirmed";
            yield return ["to " + output.Peer, $"{state}, {Waiting(output)} {output.LastError}".TrimEnd()];
        }
    }

    private static string Describe(EffectStatus effect)
    {
        string oldest = effect.Pending == 0 ? "" : string.Create(
            CultureInfo.InvariantCulture, $", the oldest, {effect.Oldest}, for {effect.OldestSeconds:F0} s");
        string held = effect.Held == 0 ? "" : string.Create(CultureInfo.InvariantCulture, $", {effect.Held} held");
        string error = effect.LastError.Length == 0 ? "" : $"; {effect.LastError}";
        return string.Create(CultureInfo.InvariantCulture,
            $"{effect.Pending} pending{oldest}{held}, {effect.Running} running, "
                + $"{effect.Failures} of {Counted.Of(effect.Attempts, "attempt")} failed{error}");
    }

    private static string Describe(ScheduleStatus schedule)
    {
        string next = schedule.Next is { } time ? $"next {Time(time)}" : schedule.Trouble.Length > 0 ? schedule.Trouble
            : "next is being chosen";
        string last = schedule.Last is { } ran ? $", last {Time(ran)}" : "";
        string leftOut = schedule.LeftOut == 0 ? "" : $", {Text(schedule.LeftOut)} missed";
        return $"{schedule.Expression} {schedule.TimeZone}: {next}{last}, {Counted.Of(schedule.Runs, "run")}{leftOut}";
    }

    private static string Describe(CompensationStatus saga)
    {
        string error = saga.LastError.Length == 0 ? "" : $"; {Counted.Of(saga.Attempts, "attempt")} failed: {saga.LastError}";
        string next = saga.NextAttempt is { } time ? $", next attempt {Time(time)}" : "";
        return $"compensates, {Text(saga.Left)} left, now {saga.Step}{next}{error}";
    }

    private static string Time(DateTimeOffset time) => time.UtcDateTime.ToString("yyyy-MM-dd HH:mm:ss'Z'", CultureInfo.InvariantCulture);

    private static string Waiting(OutputStatus output) => output.BufferedBytes + output.SpilledBytes is var bytes && bytes == 1
        ? "1 byte waits" : $"{Text(bytes)} bytes wait";

    private static string Text<T>(T value)
        where T : IFormattable => value.ToString(null, CultureInfo.InvariantCulture);
}
