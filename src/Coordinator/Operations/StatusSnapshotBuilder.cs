using System.Globalization;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Upgrades;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Operations;

/// <summary>Puts the parts of a core into the one picture that people and probes see.</summary>
internal static class StatusSnapshotBuilder
{
    /// <summary>How a person gets to the page about an instance.</summary>
    public static string PageOf(string instance, EndPointName? admin, bool isLocal) => admin switch
    {
        { Scheme: EndPointScheme.Tcp } port => $"http://{port.Authority}/page/",
        _ when isLocal => $"'ambrosia debug {instance} --web'",
        _ => "none",
    };

    public static CoordinatorStatus Build(
        InstanceSettings options, PeerSettings? identity, ReplicaRole role, CoreCounters counters, LogPosition position, AppServer? server,
        UpgradeStatus? upgrade,
        CoordinatorState? state, CheckpointScheduler? checkpoints, IReadOnlyList<PeerOutputLink> links, BackPressure backPressure,
        IReadOnlyList<string> awaited, OutsideEntrance outside,
        TimeSpan uptime, DateTimeOffset now)
    {
        AppSession? session = server?.Session;
        bool follows = position.Follows;
        bool stays = role != ReplicaRole.Draining;
        bool near = stays && (follows ? session is not null && backPressure.Lag <= options.PageSize : session is { IsPrimary: true });
        bool ready = near && !counters.IsLate;
        return new CoordinatorStatus
        {
            Instance = options.InstanceName,
            InstanceId = identity?.InstanceId.ToString("N") ?? "",
            Cluster = options.Cluster,
            Version = typeof(StatusSnapshotBuilder).Assembly.GetName().Version?.ToString(3) ?? "",
            Role = role.Text(),
            Ready = ready,
            NotReadyReason = ready ? "" : WhyNot(role, counters, session, near, follows),
            Replica = options.ReplicaId,
            Epoch = identity?.Epoch ?? 0,
            PeerAddress = counters.PeerAddress,
            BindingAddress = (options.BindingSocket ?? options.BindingAddress)?.ToString() ?? "",
            UptimeSeconds = uptime.TotalSeconds,
            RecoverySeconds = counters.RecoverySeconds,
            Log = new LogStatus { DurableLsn = position.Durable.Value, BytesSinceCheckpoint = checkpoints?.BytesSince ?? 0 },
            App = AppOf(server, counters, backPressure, now),
            Inputs = [.. (state?.Inputs.All ?? []).Select(input => new InputStatus
            {
                Peer = input.Name,
                Connected = input.Name == options.InstanceName || input.Current is { Open: true },
                Total = input.Durable.Total,
                Replayable = input.Durable.Replayable,
                Epoch = input.Durable.SenderEpoch,
            })],
            Outputs = [.. (state?.Outputs.All ?? [])
                .Select(buffer => Build(buffer, links.FirstOrDefault(l => l.Buffer == buffer), awaited))],
            Outside = new OutsideStatus
            {
                Admitted = outside.Figures.Admitted, Repeated = outside.Figures.Repeated, Waiting = outside.Waiting,
                Kept = state?.Outside.Count ?? 0, Pending = state?.Outside.Pending ?? 0, AnswerBytes = state?.Outside.AnswerBytes ?? 0,
            },
            Checkpoints = new CheckpointStatus
            {
                NewestLsn = checkpoints?.Newest.Value ?? 0, NewestBytes = checkpoints?.NewestBytes ?? 0, Taken = checkpoints?.Taken ?? 0,
            },
            Upgrade = upgrade ?? new UpgradeStatus(),
            Totals = TotalsOf(counters, links),
        };
    }

    private static AppStatus AppOf(AppServer? server, CoreCounters counters, BackPressure backPressure, DateTimeOffset now)
    {
        AppSession? session = server?.Session;
        return new AppStatus
        {
            Attached = session is not null,
            Binding = session is null ? "" : server!.Introduction?.Binding ?? "published protocol",
            Version = server?.Introduction?.AppVersion ?? "",
            StateVersion = session?.StateVersion ?? "",
            Lsn = counters.AppExecuted,
            LagBytes = backPressure.Lag,
            HoldsInput = backPressure.Holding,
            OnHold = counters.Hold,
            Stuck = counters.Stuck,
            TurnSeconds = counters.StuckSeconds,
            DeadLetters = counters.DeadLetters,
            Effects = [.. (session?.Figures.Effects ?? []).Select(told => Build(told, now))],
            Schedules = [.. (session?.Figures.Routines.Schedules ?? []).Select(Build)],
            Compensations = [.. (session?.Figures.Routines.Compensations ?? []).Select(Build)],
        };
    }

    private static TotalsStatus TotalsOf(CoreCounters counters, IReadOnlyList<PeerOutputLink> links) => new()
    {
        MessagesLogged = counters.MessagesLogged,
        MessagesDelivered = counters.MessagesDelivered,
        MessagesSent = links.Sum(static link => link.MessagesSent),
        HandlerFaults = counters.HandlerFaults,
        ContentsDiffered = counters.ContentsDiffered,
        Records = counters.Records,
        BytesLogged = counters.BytesLogged,
        Attaches = counters.Attaches,
        AppDeaths = counters.AppDeaths,
        OutputsDropped = counters.Dropped,
        InputsMissed = counters.Missed,
        Disconnects = links.Sum(static link => link.Disconnects),
    };

    private static string WhyNot(ReplicaRole role, CoreCounters counters, AppSession? session, bool near, bool follows) =>
        role == ReplicaRole.Draining ? "it stops"
        : session is null ? counters.Hold.Length > 0 ? $"{ProcessErrors.OnHold} {counters.Hold}" : "no app is attached"
        : near ? string.Create(CultureInfo.InvariantCulture,
            $"{ProcessErrors.AppStuck} the app has not moved for {counters.StuckSeconds:F0} s")
        : follows ? "the app is behind the primary's log"
        : "the app replays its log";

    /// <summary>Where everything stands, in one line for a failed test.</summary>
    public static string Describe(
        ReplicaRole role, Lsn durable, CoordinatorState state, IReadOnlyList<PeerOutputLink> links)
    {
        IEnumerable<string> sent = state.Outputs.All.Select(b =>
            $"to {b.Destination}: {b.EntryCount} entries, generated {b.Generated}, trimmed {b.Trimmed}, dropped {b.Dropped}, "
            + $"next {b.NextTotal} {links.FirstOrDefault(l => l.Buffer == b)?.Trouble}");
        IEnumerable<string> received = state.Inputs.All.Select(i => $"from {i.Name}: {i.Accepted} durable {i.Durable}");
        return $"{role.Text()}, durable {durable}, {string.Join(", ", sent.Concat(received))}";
    }

    public static CoreActivity Activity(
        ReplicaRole role, CoreCounters counters, Lsn durable, AppSession? session, OutputTable? outputs,
        IReadOnlyList<PeerOutputLink> links) => new(
        role,
        session is not null,
        session is { IsPrimary: true },
        counters.AppExecuted < durable.Value,
        outputs is not null && outputs.All.Any(static buffer => buffer.SpilledBytes > 0),
        links.Any(static link => !link.Connected && !link.Buffer.IsEmpty),
        outputs is not null && outputs.All.Any(static buffer => !buffer.IsEmpty),
        outputs?.All.Sum(static buffer => buffer.MemoryBytes) ?? 0);

    private static EffectStatus Build(EffectMethodTold told, DateTimeOffset now) => new()
    {
        Method = told.Method,
        Pending = told.Pending,
        Held = told.Held,
        Running = told.Running,
        Attempts = told.Attempts,
        Failures = told.Failures,
        Oldest = told.Oldest,
        OldestSeconds = told.Asked == 0 ? 0 : Math.Max(0, TimeSpan.FromTicks(now.UtcTicks - told.Asked).TotalSeconds),
        LastError = told.LastError,
    };

    private static ScheduleStatus Build(ScheduleTold told) => new()
    {
        Name = told.Name,
        Expression = told.Expression,
        TimeZone = told.TimeZone,
        Missed = told.Missed,
        Next = TimeOf(told.Next),
        Last = TimeOf(told.Last),
        Runs = told.Runs,
        LeftOut = told.LeftOut,
        Trouble = told.Trouble,
    };

    private static CompensationStatus Build(CompensationTold told) => new()
    {
        Saga = told.Saga,
        Step = told.Step,
        Left = told.Left,
        Attempts = told.Attempts,
        NextAttempt = TimeOf(told.NextAttempt),
        LastError = told.LastError,
    };

    private static DateTimeOffset? TimeOf(long ticks) => ticks == 0 ? null : new DateTimeOffset(ticks, TimeSpan.Zero);

    private static OutputStatus Build(OutputBuffer buffer, PeerOutputLink? link, IReadOnlyList<string> awaited) => new()
    {
        Peer = buffer.Destination,
        Connected = link is null || link.Connected,
        LastError = link?.Trouble ?? "",
        Total = buffer.Generated,
        Acknowledged = buffer.Trimmed,
        BufferedBytes = buffer.MemoryBytes,
        SpilledBytes = buffer.SpilledBytes,
        Dropped = buffer.Dropped,
        HoldsApp = awaited.Contains(buffer.Destination),
    };
}
