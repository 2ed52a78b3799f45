using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Settings;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;

namespace Ambrosia.Coordinator.Availability;

/// <summary>
/// What a secondary does at each heartbeat: it keeps its leases and its entry in the catalog, and looks whether the primary moves.
/// </summary>
/// <param name="instance">The instance.</param>
/// <param name="settings">What the instance is told.</param>
/// <param name="log">The log that the primary writes.</param>
/// <param name="append">The right to append, which ends this.</param>
/// <param name="leases">The leases of this process.</param>
/// <param name="catalog">Where people see which replicas there are.</param>
internal sealed class SecondaryBeats(
    InstanceContext instance, InstanceSettings settings, WriteAheadLog log, AppendLease append, LeaseKeeper leases, ICatalog catalog)
{
    private bool _isNoted;

    /// <summary>Ends the process that holds the right to append; false if it is beyond reach.</summary>
    public required Func<string, bool> EndProcess { get; init; }

    /// <summary>Called at each heartbeat.</summary>
    public required Action Beat { get; init; }

    /// <summary>Says in the catalog that this secondary lives.</summary>
    public async ValueTask NoteAsync() =>
        _isNoted = await Registration.NoteSecondaryAsync(catalog, instance.Name, settings.ReplicaId!.Value, lives: true, instance.Logger);

    /// <summary>Runs until the right to append comes.</summary>
    public async Task RunAsync()
    {
        var watch = new PrimaryWatch(log, settings.TakeoverAfter, settings.Heartbeat, instance.Time);
        string? beyondReach = null;
        while (!append.IsHeld)
        {
            await append.PauseAsync(settings.Heartbeat);
            instance.Stopping.ThrowIfCancellationRequested();
            Beat();
            await leases.RequireNamedAsync();
            if (!_isNoted && !append.IsHeld)
            {
                await NoteAsync();
            }

            if (!append.IsHeld && await watch.LookAsync() is { } stopped && stopped != beyondReach)
            {
                beyondReach = EndPrimary(stopped) ? null : stopped;
            }
        }
    }

    /// <summary>A process that was stopped keeps its lease, and would go on under the old epoch if it were woken: it must not.</summary>
    private bool EndPrimary(string holder)
    {
        bool ended = EndProcess(holder);
        if (ended)
        {
            CoreLog.PrimaryEnded(instance.Logger, holder, settings.TakeoverAfter.TotalSeconds);
        }
        else
        {
            CoreLog.PrimaryBeyondReach(instance.Logger, holder, settings.TakeoverAfter.TotalSeconds);
        }

        return ended;
    }
}
