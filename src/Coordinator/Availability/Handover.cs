using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Settings;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.Coordinator.Availability;

/// <summary>
/// A planned move: an instance goes on in another process, which was started to become the primary. replicas.md has the rules.
/// </summary>
/// <param name="instance">The instance.</param>
/// <param name="settings">What the instance is told.</param>
/// <param name="log">The log beside which the request lies, as a named lease.</param>
/// <param name="append">The right to append.</param>
/// <param name="roles">The role of this process.</param>
/// <param name="checkpoints">What is saved before the primary goes.</param>
internal sealed class Handover(
    InstanceContext instance, InstanceSettings settings, WriteAheadLog log, AppendLease append, RoleMachine roles,
    CheckpointScheduler checkpoints)
{
    private const int LargestReplica = 99; // As the option allows.
    private static readonly TimeSpan s_readyLook = TimeSpan.FromMilliseconds(20);
    private bool _asks;
    private bool _hasAsked;
    private bool _staysAway;
    private (string? Asking, long Since) _left;
    private string? _ignored;

    /// <summary>Whether this replica could act at once as the primary.</summary>
    public required Func<bool> HasCaughtUp { get; init; }

    /// <summary>Takes a checkpoint of the app, and completes when it is durable.</summary>
    public required Func<Task> TakeCheckpoint { get; init; }

    /// <summary>Completes when the instance is asked to stop: a handover ends in that, too.</summary>
    public required TaskCompletionSource<string> DrainAsked { get; init; }

    /// <summary>For a secondary: asks as soon as it could go on at once.</summary>
    public async Task AskWhenReadyAsync()
    {
        while (!append.IsHeld && !HasCaughtUp())
        {
            await append.PauseAsync(s_readyLook);
            instance.Stopping.ThrowIfCancellationRequested();
        }

        await AskAsync();
    }

    /// <summary>
    /// Asks the primary to hand over, by holding a lease that the primary looks at: the request ends with this process, however that ends,
    /// and with the right to append.
    /// </summary>
    public async Task AskAsync()
    {
        _asks = true;
        try
        {
            while (!append.IsHeld)
            {
                _hasAsked = false;
                await using ILogLease asking = (await log.AcquireNamedLeaseAsync(NamedLeases.Successor, wait: true, append.Came))!;
                _hasAsked = true;
                CoreLog.AsksForPlace(instance.Logger, instance.Name);
                while (!append.IsHeld && !asking.Lost.IsCancellationRequested)
                {
                    await append.PauseAsync(settings.Heartbeat);
                    instance.Stopping.ThrowIfCancellationRequested();
                }
            }
        }
        catch (OperationCanceledException) when (!instance.Stopping.IsCancellationRequested)
        {
            // The right to append has come before it could ask.
        }
        finally
        {
            _asks = false;
        }
    }

    /// <summary>
    /// Takes the right to append if nobody has it, and nobody asks to become the primary: a primary that has handed over and is started
    /// again at once may be sooner than the process that it has made room for. Null otherwise.
    /// </summary>
    public async ValueTask<ILogLease?> TryAcquireInTurnAsync() =>
        await log.TryAcquireAsync() is { } lease ? await KeepInTurnAsync(lease) : null;

    /// <summary>Waits for the right to append, and for the turn of this process.</summary>
    public async ValueTask<ILogLease> AcquireInTurnAsync(CancellationToken stop)
    {
        while (true)
        {
            if (_staysAway)
            {
                await Task.Delay(settings.Heartbeat, instance.Time, stop);
                _staysAway = false;
            }

            if (await KeepInTurnAsync(await log.AcquireAsync(stop)) is { } lease)
            {
                return lease;
            }
        }
    }

    /// <summary>For the primary: hands over when another process asks to become it.</summary>
    public async Task WatchAsync()
    {
        bool follows;
        while (true)
        {
            if (roles.Current == ReplicaRole.Primary && !_asks && await FindAskingAsync() is { } asking && asking != _ignored)
            {
                follows = settings.ReplicaId is not null && await IsReplicaAsync(asking);
                if (!follows)
                {
                    await ShortenReplayAsync();
                }

                if (await FindAskingAsync() == asking)
                {
                    break; // Else it has died meanwhile, and nobody would serve.
                }
            }

            await Task.Delay(settings.Heartbeat, instance.Time, instance.Stopping);
        }

        CoreLog.HandsOver(instance.Logger, instance.Name);
        checkpoints.IsLeftToSuccessor = follows && !DrainAsked.Task.IsCompleted;
        DrainAsked.TrySetResult("another process takes its place");
    }

    /// <summary>
    /// A process that gets the right to append while another one asks to become the primary gives it back, and stays away for a heartbeat:
    /// it would only hand over and end, and so would all that wait, one after the other. A process that asks and does not take what is left
    /// to it is ignored from then on.
    /// </summary>
    private async ValueTask<ILogLease?> KeepInTurnAsync(ILogLease lease)
    {
        if (_hasAsked || await FindAskingAsync() is not { } asking)
        {
            return lease;
        }

        _left = asking == _left.Asking ? _left : (asking, instance.Time.GetTimestamp());
        if (instance.Time.GetElapsedTime(_left.Since) >= LeaseKeeper.PatienceOf(settings))
        {
            _ignored = asking;
            return lease;
        }

        await lease.DisposeAsync();
        _staysAway = true;
        CoreLog.LeavesPlace(instance.Logger, instance.Name);
        return null;
    }

    // A process with a number asks only once its app has executed everything.
    private async ValueTask<bool> IsReplicaAsync(string process)
    {
        try
        {
            for (int number = 0; number <= LargestReplica; number++)
            {
                if (number != settings.ReplicaId && await log.ReadSideHolderAsync(NamedLeases.Replica(number)) == process)
                {
                    return true;
                }
            }
        }
        catch (Exception error) when (error is FileFailedException or LogStoreException)
        {
            // One checkpoint more does no harm; a store that really fails says so when that is written.
        }

        return false;
    }

    private async ValueTask<string?> FindAskingAsync()
    {
        try
        {
            return await log.ReadSideHolderAsync(NamedLeases.Successor);
        }
        catch (Exception error) when (error is FileFailedException or LogStoreException)
        {
            return null; // It is looked for again; a store that really fails says so where it matters.
        }
    }

    /// <summary>
    /// Nobody has followed the log: the successor begins with the newest checkpoint, and is silent for as long as the log after it takes.
    /// </summary>
    private async ValueTask ShortenReplayAsync()
    {
        using var limit = new CancellationTokenSource(settings.DrainTimeout, instance.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, instance.Stopping);
        try
        {
            await FirstOf.OrCancelAsync(TakeCheckpoint(), either.Token);
        }
        catch (Exception error) when (error is OperationCanceledException or InvalidOperationException)
        {
            instance.Stopping.ThrowIfCancellationRequested(); // Else it takes longer over there, and nothing more.
        }
    }
}
