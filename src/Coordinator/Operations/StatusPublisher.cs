using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Coordinator.Operations;

/// <summary>What people and probes see of a core, and what looks after its app at each heartbeat.</summary>
/// <param name="parts">What the core is made of.</param>
internal sealed class StatusPublisher(CoreParts parts)
{
    private long _started;
    private AppCare? _care;

    /// <summary>What serves.</summary>
    public required Func<ServingInstance> Serving { get; init; }

    /// <summary>Where the picture is shown. Null before the core runs.</summary>
    public StatusBoard? Board { get; private set; }

    /// <summary>What can be done about messages that were taken out; null until this process serves.</summary>
    public DeadLetterService? DeadLetters => _care?.DeadLetters;

    /// <summary>How long the core has been running.</summary>
    public TimeSpan Age => parts.Environment.Time.GetElapsedTime(_started);

    /// <summary>The core begins. Which coordinator it is can be told before there is more.</summary>
    public void Begin(StatusBoard board)
    {
        Board = board;
        _started = parts.Environment.Time.GetTimestamp();
        Publish();
    }

    /// <summary>From here on the app is looked after.</summary>
    public void LookAfterApp()
    {
        (CoreEnvironment environment, InstanceContext instance) = (parts.Environment, parts.Instance);
        var limits = new LimitWatch(
            parts.BackPressure, parts.Spill, instance.Name, parts.Options.Watchdog, environment.Time, instance.Logger);
        var watchdog = new TurnWatchdog(
            parts.Log, parts.Options.Watchdog, parts.Options.HandlerDeadline, environment.Time, instance.Logger);
        var deadLetters = new DeadLetterService(
            parts.Guard, watchdog, parts.Log, parts.Pipeline, parts.State.Inputs, parts.AppServer, instance.Logger, instance.Stopping);
        _care = new AppCare(watchdog, limits, deadLetters);
    }

    /// <summary>What is done at each heartbeat.</summary>
    public void Beat()
    {
        ServingInstance serving = Serving();
        if (serving.Dropper is { } dropper && dropper.Choose(serving.OutputLinks) is { } link)
        {
            parts.Instance.Loops.Start(() => dropper.DropAsync(link));
        }

        if (_care is { } care)
        {
            LookAtApp(care);
        }

        parts.Outside.Beat();
        Publish();
        if (!parts.Pending.IsEmpty)
        {
            // On an idle instance trims and digests would otherwise wait for the next input (docs/internals/exactly-once.md H13).
            parts.Appender.RequestFlush();
        }
    }

    /// <summary>Shows the picture of now.</summary>
    public void Publish()
    {
        NotePoison();
        parts.Counters.Missed = parts.PipelineIfMade?.Missed ?? 0;
        if (parts.LogIfOpen is { Checkpoints: [var first, ..] checkpoints })
        {
            parts.BackPressure.Forget(
                checkpoints.Aggregate(first.Lsn, static (oldest, each) => each.Lsn < oldest ? each.Lsn : oldest).Value);
        }

        Board?.Show(StatusSnapshotBuilder.Build(
            parts.Options, parts.IdentityIfKnown, parts.Roles.Current, parts.Counters, parts.Position, parts.AppServerIfMade,
            parts.CutoverIfMade?.Status, parts.StateIfMade, parts.CheckpointsIfMade, Serving().OutputLinks, parts.BackPressure,
            parts.Spill.Awaited, parts.Outside, Age, parts.Environment.Time.GetUtcNow()));
    }

    /// <summary>The line of a start that says all that is needed to look at the instance.</summary>
    public void TellStand(TimeSpan readyAfter)
    {
        string name = parts.Options.InstanceName;
        EndPointName? address = parts.Environment.AdminAddress();
        string page = StatusSnapshotBuilder.PageOf(name, address, LogStores.IsLocal(parts.Options.Store));
        string build = parts.AppServer.Introduction is { AppVersion.Length: > 0 } app ? $"build: {app.AppVersion}; " : "";
        string admin = address?.ToString() ?? "none (--admin)";
        CoreLog.Stands(
            parts.Instance.Logger, name, parts.Roles.Current.Text(), parts.Identity.Epoch, readyAfter.TotalMilliseconds, parts.Log.Location,
            build, admin, page);
    }

    private void LookAtApp(AppCare care)
    {
        care.Limits.Look(parts.Counters.AppExecuted, parts.State.Outputs);
        // While it waits for room in the scratch files the app waits for us, not we for it.
        if (!parts.Spill.HoldsApp && care.Watchdog.Look(parts.AppServer.Session))
        {
            parts.Instance.Loops.Start(care.Watchdog.TellAsync);
        }
    }

    private void NotePoison()
    {
        if (_care is { } care)
        {
            CoreCounters counters = parts.Counters;
            counters.Hold = parts.Guard.HoldText;
            counters.Stuck = care.Watchdog.Text.Length > 0 ? care.Watchdog.Text : care.Limits.Text;
            counters.StuckSeconds = care.Watchdog.Seconds;
            counters.IsLate = care.Watchdog.IsLate;
            counters.DeadLetters = parts.State.Poison.Letters.Count;
        }
    }
}
