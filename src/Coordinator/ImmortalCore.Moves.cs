using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.Coordinator;

/// <summary>The core's part that lets an instance go on in another process, which was started to take its place; replicas.md has the rules.</summary>
public sealed partial class ImmortalCore
{
    private const int LargestReplica = 99; // As the option allows.
    private static readonly TimeSpan s_readyLook = TimeSpan.FromMilliseconds(20);
    private bool _asksForPlace;
    private bool _hasAsked;
    private string? _passedOver;

    private bool HasCaughtUp => !_position.Follows || (_parts.AppServer.Session is not null && _backPressure.Lag <= _options.PageSize);

    /// <summary>For a secondary: asks as soon as it could go on at once.</summary>
    private async Task AskWhenReadyAsync()
    {
        while (!_append.IsHeld && !HasCaughtUp)
        {
            await _append.PauseAsync(s_readyLook);
            _stopping.Token.ThrowIfCancellationRequested();
        }

        await AskForPlaceAsync();
    }

    /// <summary>
    /// Asks whoever serves to hand over, by holding a lock that it looks at: the request ends with this process, however that ends, and with the right to append.
    /// </summary>
    private async Task AskForPlaceAsync()
    {
        _asksForPlace = true;
        try
        {
            while (!_append.IsHeld)
            {
                _hasAsked = false;
                await using ILogLease asking = (await _parts.Log.AcquireSideLockAsync(SideLocks.Successor, wait: true, _append.Came))!;
                _hasAsked = true;
                CoreLog.AsksForPlace(_logger, _options.InstanceName);
                while (!_append.IsHeld && !asking.Lost.IsCancellationRequested)
                {
                    await _append.PauseAsync(_options.Heartbeat);
                    _stopping.Token.ThrowIfCancellationRequested();
                }
            }
        }
        catch (OperationCanceledException) when (!_stopping.IsCancellationRequested)
        {
            // Its place has come before it could ask.
        }
        finally
        {
            _asksForPlace = false;
        }
    }

    /// <summary>
    /// Waits for the right to append. Who gets it while another process asks for the place gives it back, and stays away for a heartbeat: it would only hand over and end, and so would all who wait, one
    /// after the other. Who asks and does not take what is left to him is passed over.
    /// </summary>
    private async ValueTask<ILogLease> AcquireInTurnAsync(CancellationToken stop)
    {
        (string? Asking, long Since) left = default;
        while (true)
        {
            ILogLease lease = await _parts.Log.AcquireAsync(stop);
            if (_hasAsked || await WhoAsksAsync() is not { } asking)
            {
                return lease;
            }

            left = asking == left.Asking ? left : (asking, _environment.Time.GetTimestamp());
            if (_environment.Time.GetElapsedTime(left.Since) >= SideLockPatience)
            {
                _passedOver = asking;
                return lease;
            }

            await lease.DisposeAsync();
            CoreLog.LeavesPlace(_logger, _options.InstanceName);
            await Task.Delay(_options.Heartbeat, _environment.Time, stop);
        }
    }

    /// <summary>For the primary: hands over when another process asks for its place.</summary>
    private async Task WatchForSuccessorAsync()
    {
        string asking;
        while (_roles.Current != ReplicaRole.Primary || _asksForPlace || await WhoAsksAsync() is not { } found
            || (asking = found) == _passedOver)
        {
            await Task.Delay(_options.Heartbeat, _environment.Time, _stopping.Token);
        }

        CoreLog.HandsOver(_logger, _options.InstanceName);
        bool follows = IsReplica && await IsReplicaAsync(asking);
        if (!follows)
        {
            await ShortenReplayAsync();
        }

        _parts.Checkpoints.IsLeftToSuccessor = follows && !_drainAsked.Task.IsCompleted;
        _drainAsked.TrySetResult("another process takes its place");
    }

    // A process with a number asks only once its app has executed everything.
    private async ValueTask<bool> IsReplicaAsync(string process)
    {
        try
        {
            for (int number = 0; number <= LargestReplica; number++)
            {
                if (number != _options.ReplicaId && await _parts.Log.ReadSideHolderAsync(SideLocks.Replica(number)) == process)
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

    private async ValueTask<string?> WhoAsksAsync()
    {
        try
        {
            return await _parts.Log.ReadSideHolderAsync(SideLocks.Successor);
        }
        catch (Exception error) when (error is FileFailedException or LogStoreException)
        {
            return null; // Whether somebody asks is looked at again; a store that really fails says so where it matters.
        }
    }

    /// <summary>Nobody has followed the log: who comes next begins with the newest checkpoint, and is silent for as long as the log behind it takes.</summary>
    private async ValueTask ShortenReplayAsync()
    {
        using var limit = new CancellationTokenSource(_options.DrainTimeout, _environment.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, _stopping.Token);
        try
        {
            await FirstOf.OrCancelAsync(_board!.CheckpointAsync(CancellationToken.None), either.Token);
        }
        catch (Exception error) when (error is OperationCanceledException or InvalidOperationException)
        {
            _stopping.Token.ThrowIfCancellationRequested(); // Else it takes longer over there, and nothing more.
        }
    }
}
