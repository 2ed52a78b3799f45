using System.Diagnostics.Metrics;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Serving;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.CoordinatorHost.Metrics;

/// <summary>
/// The coordinator's instruments. All are observed: they read a status snapshot when somebody looks, and cost nothing before.
/// </summary>
public sealed class CoordinatorMetrics : IDisposable
{
    /// <summary>Name of the meter.</summary>
    public const string MeterName = "Ambrosia.Coordinator";

    private readonly Meter _meter = new(MeterName);
    private readonly KeyValuePair<string, object?> _instance;

    /// <summary>Registers the instruments of one instance.</summary>
    public CoordinatorMetrics(string instance, ICoordinatorStatus status)
        : this(instance, status, null)
    {
    }

    /// <summary>Registers the instruments of one instance whose files lie on a disk that is looked at.</summary>
    internal CoordinatorMetrics(string instance, ICoordinatorStatus status, DiskFigures? disk)
    {
        ProcessMetrics.Begin();
        _instance = new(LogStoreMetrics.InstanceTag, instance);
        Gauge("ambrosia.ready", "", "1 while the probe /readyz succeeds: it serves, or follows near the log's end",
            () => status.Snapshot().Ready ? 1 : 0);
        _meter.CreateObservableGauge("ambrosia.role", () => Roles(status.Snapshot().Role), "",
            "1 for the role that the coordinator has, 0 for the others");
        _meter.CreateObservableGauge(
            "ambrosia.build_info", () => new Measurement<long>(1, _instance, new("version", CoordinatorVersion.Text)),
            "", "Version of the coordinator");
        Gauge("ambrosia.epoch", "", "Epoch of leadership", () => (long)status.Snapshot().Epoch);
        Gauge("ambrosia.log.durable_lsn", "", "Last record on stable storage", () => (long)status.Snapshot().Log.DurableLsn);
        Gauge("ambrosia.log.since_checkpoint", "By", "Log since the newest checkpoint: what a recovery would replay", () =>
            status.Snapshot().Log.BytesSinceCheckpoint);
        Gauge("ambrosia.app.attached", "", "1 while an app is attached", () => status.Snapshot().App.Attached ? 1 : 0);
        Gauge("ambrosia.app.lag", "By", "Log that the app has yet to see", () => status.Snapshot().App.LagBytes);
        Gauge("ambrosia.app.holds_input", "", "1 while senders are slowed because the app lags", () =>
            status.Snapshot().App.HoldsInput ? 1 : 0);
        Gauge("ambrosia.app.on_hold", "", "1 while the app is not let in because a message kills it", () =>
            status.Snapshot().App.OnHold.Length > 0 ? 1 : 0);
        Gauge("ambrosia.app.turn", "s", "Time that the app has not moved although there is something to execute", () =>
            (long)status.Snapshot().App.TurnSeconds);
        Gauge("ambrosia.dead_letters", "", "Quarantined messages that are kept", () => status.Snapshot().App.DeadLetters);
        Counter("ambrosia.app.deaths", "Ends of the app that were its own", () => status.Snapshot().Totals.AppDeaths);
        Gauge("ambrosia.checkpoint.newest_lsn", "", "LSN of the newest checkpoint", () => (long)status.Snapshot().Checkpoints.NewestLsn);
        Counter("ambrosia.messages.logged", "Messages logged", () => status.Snapshot().Totals.MessagesLogged);
        Counter("ambrosia.messages.delivered", "Messages handed to the app, replayed ones included", () =>
            status.Snapshot().Totals.MessagesDelivered);
        Counter("ambrosia.messages.sent", "Messages handed to other coordinators, repeated ones included", () =>
            status.Snapshot().Totals.MessagesSent);
        Counter("ambrosia.checkpoints", "Checkpoints taken", () => status.Snapshot().Checkpoints.Taken);
        Counter("ambrosia.disconnects", "Connections lost to other coordinators", () => status.Snapshot().Totals.Disconnects);
        Counter("ambrosia.outputs.dropped", "Outputs dropped, because their destination was away for too long",
            () => status.Snapshot().Totals.OutputsDropped);
        Counter("ambrosia.inputs.missed", "Messages that their senders have dropped, and that never came",
            () => status.Snapshot().Totals.InputsMissed);
        Counter("ambrosia.attaches", "Apps attached", () => status.Snapshot().Totals.Attaches);
        Counter("ambrosia.replay.contents_differed", "Records whose replay sent other contents than the first time", () =>
            status.Snapshot().Totals.ContentsDiffered);
        Counter("ambrosia.handler_faults", "Handlers that threw", () => status.Snapshot().Totals.HandlerFaults);
        _meter.CreateObservableGauge(
            "ambrosia.recovery.last", () => new Measurement<double>(status.Snapshot().RecoverySeconds, _instance), "s",
            "Duration of the last recovery, until the app was primary");
        AddOthers(status);
        if (disk is not null)
        {
            Disk("ambrosia.disk.used", "Bytes of the instance's files: log, checkpoints, scratch", () => Looked(disk).Used);
            Disk("ambrosia.disk.free", "Bytes that are left for the coordinator where its log lies", () => Looked(disk).Free);
        }
    }

    /// <summary>Removes the instruments.</summary>
    public void Dispose() => _meter.Dispose();

    // Of other instances, effects and calls from outside.
    private void AddOthers(ICoordinatorStatus status)
    {
        PerPeer("ambrosia.output.buffered", "Bytes kept in memory until the destination has them durable", status, static output =>
            output.BufferedBytes);
        PerPeer("ambrosia.output.spilled", "Bytes kept on disk until the destination has them durable", status, static output =>
            output.SpilledBytes);
        PerPeer("ambrosia.output.holds_app", "1 while the app waits because the destination's share of the scratch space is used up",
            status, static output => output.HoldsApp ? 1 : 0, "");
        PerEffect("ambrosia.effects.pending", "", "Effects without an outcome", status, static told => told.Pending);
        PerEffect("ambrosia.effects.running", "", "Attempts to perform effects that run", status, static told => told.Running);
        PerEffect("ambrosia.effects.held", "", "Effects that are not performed, since they ended too many processes", status,
            static told => told.Held);
        PerEffect("ambrosia.effects.oldest", "s", "Age of the oldest effect without an outcome", status, static told => told.OldestSeconds);
        PerEffect("ambrosia.effects.attempts", "", "Attempts since the app became primary", status, static told => told.Attempts);
        PerEffect("ambrosia.effects.failures", "", "Attempts since the app became primary that failed", status,
            static told => told.Failures);
        Counter("ambrosia.outside.calls", "Calls from outside that went into the log", () => status.Snapshot().Outside.Admitted);
        Counter("ambrosia.outside.repeats", "Repeats of calls from outside that were there", () => status.Snapshot().Outside.Repeated);
        Gauge("ambrosia.outside.waiting", "", "Callers from outside that wait", () => status.Snapshot().Outside.Waiting);
        Gauge("ambrosia.outside.kept", "", "Calls from outside that are kept", () => status.Snapshot().Outside.Kept);
        Gauge("ambrosia.outside.pending", "", "Kept calls from outside without an answer", () => status.Snapshot().Outside.Pending);
        Gauge("ambrosia.outside.answers", "By", "Bytes of answers to the outside that are kept", () =>
            status.Snapshot().Outside.AnswerBytes);
    }

    private IEnumerable<Measurement<long>> Roles(string role) =>
        // Each has a series, so that a role that was left reads 0, and not as it was before.
        ReplicaRoleNames.All.Append(role).Distinct()
            .Select(each => new Measurement<long>(each == role ? 1 : 0, _instance, new("role", each)));

    private void Disk(string name, string help, Func<long?> value) => _meter.CreateObservableGauge(
        name, () => value() is { } known ? [new Measurement<long>(known, _instance)] : Array.Empty<Measurement<long>>(), "By", help);

    // A reader of all instruments waits for no disk: it is told what the last look saw.
    private static DiskFigures Looked(DiskFigures disk)
    {
        _ = disk.LookAsync().AsTask();
        return disk;
    }

    private void Gauge(string name, string unit, string help, Func<long> value) =>
        _meter.CreateObservableGauge(name, () => new Measurement<long>(value(), _instance), unit, help);

    private void Counter(string name, string help, Func<long> value) =>
        _meter.CreateObservableCounter(name, () => new Measurement<long>(value(), _instance), "", help);

    // Gauges: with another app they begin anew, and an app that does not act has none.
    private void PerEffect(string name, string unit, string help, ICoordinatorStatus status, Func<EffectStatus, double> value) =>
        _meter.CreateObservableGauge(
            name, () => status.Snapshot().App.Effects.Select(
                told => new Measurement<double>(value(told), _instance, new("method", told.Method))), unit, help);

    private void PerPeer(string name, string help, ICoordinatorStatus status, Func<OutputStatus, long> value, string unit = "By") =>
        _meter.CreateObservableGauge(
            name, () => status.Snapshot().Outputs.Select(output =>
                new Measurement<long>(value(output), _instance, new("peer", output.Peer))), unit, help);
}
