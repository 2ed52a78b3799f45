using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Settings;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Coordinator.Availability;

/// <summary>
/// Acquires and keeps the leases of this process: its number among the replicas, the right to append, and, with
/// <see cref="CheckpointerLease"/>, the right to make checkpoints. replicas.md has the rules.
/// </summary>
/// <param name="instance">The instance.</param>
/// <param name="settings">What the instance is told.</param>
/// <param name="log">The log that the leases belong to.</param>
/// <param name="append">The right to append.</param>
/// <param name="checkpointer">The right to make checkpoints.</param>
/// <param name="handover">Which process is next when one was asked to hand over.</param>
/// <param name="catalog">Where people see which replicas there are.</param>
internal sealed class LeaseKeeper(
    InstanceContext instance, InstanceSettings settings, WriteAheadLog log, AppendLease append, CheckpointerLease checkpointer,
    Handover handover, ICatalog catalog)
{
    private static readonly TimeSpan s_predecessorTime = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_dyingTime = TimeSpan.FromMilliseconds(700);
    private static readonly TimeSpan s_newLogLook = TimeSpan.FromMilliseconds(20);
    private ILogLease? _number;

    /// <summary>Names the holder of a lease to people.</summary>
    public required Func<string, string> DescribeProcess { get; init; }

    /// <summary>Tells people which process holds the instance.</summary>
    public required Action<string> HeldBy { get; init; }

    private bool IsReplica => settings.ReplicaId is not null;

    /// <summary>
    /// How long a named lease is waited for. In a service the one of a process that died elsewhere is free when it is over.
    /// </summary>
    public static TimeSpan PatienceOf(InstanceSettings settings) =>
        LogStores.IsLocal(settings.Store) ? s_predecessorTime : settings.LeaseDuration + s_predecessorTime;

    /// <summary>
    /// Two processes with one number would share sockets and scratch files. A predecessor that is just dying is waited for.
    /// </summary>
    public async ValueTask TakeNumberAsync(CancellationToken stop)
    {
        if (settings.ReplicaId is not { } number)
        {
            return;
        }

        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(stop);
        await using ITimer timer = instance.Time.CreateTimer(
            static source => ((CancellationTokenSource)source!).Cancel(), deadline, PatienceOf(settings), Timeout.InfiniteTimeSpan);
        try
        {
            _number = await log.AcquireNamedLeaseAsync(NamedLeases.Replica(number), wait: true, deadline.Token);
        }
        catch (OperationCanceledException) when (!stop.IsCancellationRequested)
        {
            string? holder = await HolderAsync(() => log.ReadSideHolderAsync(NamedLeases.Replica(number)));
            throw CoreFailures.ReplicaTaken(
                instance.Name, number, holder is { Length: > 0 } ? DescribeProcess(holder) : null, log.Location);
        }
    }

    /// <summary>
    /// Acquires the right to append. False for a replica that finds it taken, and a checkpoint to begin with: it waits for the right while
    /// it follows.
    /// </summary>
    public async ValueTask<bool> AcquireAsync(CancellationToken stop)
    {
        if (await handover.TryAcquireInTurnAsync() is { } free)
        {
            append.Take(free);
            return true;
        }

        if (!IsReplica)
        {
            instance.Loops.Start(settings.TakeOver ? handover.AskAsync : TellHolderAsync);
            append.Take(await handover.AcquireInTurnAsync(stop));
            return true;
        }

        instance.Loops.Start(WaitAsync);
        while (!append.IsHeld && !log.WasCheckpointed)
        {
            await append.PauseAsync(s_newLogLook < log.LongestPause ? log.LongestPause : s_newLogLook);
            stop.ThrowIfCancellationRequested();
            await log.RefreshAsync();
        }

        return append.IsHeld;
    }

    /// <summary>Whether the right to append is still held; fails when it is not.</summary>
    public async ValueTask<bool> VerifyAsync()
    {
        await append.Held.VerifyAsync();
        return true;
    }

    /// <summary>For the primary beside replicas: shows them that it lives, and looks for their checkpoints.</summary>
    public async Task BeatAsync()
    {
        while (true)
        {
            await append.Held.BeatAsync();
            await RequireNamedAsync();
            log.LookForCheckpoints();
            await Task.Delay(settings.Heartbeat, instance.Time, instance.Stopping);
        }
    }

    /// <summary>
    /// Leases beside a log that lies in a service can be lost. A process that has lost its number ends, as one that has lost the right to
    /// append: another process may have it now.
    /// </summary>
    public async ValueTask RequireNamedAsync()
    {
        if (_number is { Lost.IsCancellationRequested: true })
        {
            await _number.VerifyAsync();
        }

        await checkpointer.RenewIfLostAsync();
    }

    /// <summary>Gives back this process's number.</summary>
    public async ValueTask LeaveAsync(bool failed)
    {
        if (_number is { } number)
        {
            if (!failed)
            {
                await Registration.NoteSecondaryAsync(catalog, instance.Name, settings.ReplicaId!.Value, lives: false, instance.Logger);
            }

            await number.DisposeAsync();
        }
    }

    private async Task WaitAsync() => append.Take(await handover.AcquireInTurnAsync(instance.Stopping));

    /// <summary>A second process of an instance says so at once. A predecessor that is just dying is given a moment.</summary>
    private async Task TellHolderAsync()
    {
        await append.PauseAsync(s_dyingTime);
        if (!append.IsHeld && !instance.Stopping.IsCancellationRequested && await HolderAsync(log.ReadHolderAsync) is { } holder
            && !append.IsHeld)
        {
            string process = DescribeProcess(holder);
            CoreLog.HeldElsewhere(instance.Logger, instance.Name, process, log.Location);
            HeldBy(process);
        }
    }

    private static async ValueTask<string?> HolderAsync(Func<ValueTask<string?>> read)
    {
        try
        {
            return await read();
        }
        catch (Exception error) when (error is FileFailedException or LogStoreException)
        {
            return null; // It waits all the same; a store that really fails says so where it matters.
        }
    }
}
