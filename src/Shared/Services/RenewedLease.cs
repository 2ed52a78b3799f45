using Ambrosia.LogStore;
using Ambrosia.LogStore.Loops;
using Ambrosia.LogStore.Storage;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Shared.Services;

/// <summary>
/// A lease that a service gives for a time and that is renewed at a third of it. The time counts from before the request that last proved it, on the
/// monotonic clock, and a tenth early: when it is over here, nobody else has it yet. That the service fences late appends is what makes it safe; this makes it quick.
/// </summary>
internal abstract class RenewedLease : ILogLease
{
    private readonly LogStoreEnvironment _environment;
    private readonly string _location;
    private readonly TimeSpan _duration;
    private readonly CancellationTokenSource _lost = new();
    private readonly CancellationTokenSource _ended = new();
    private Task _renewing = Task.CompletedTask;
    private long _provenAt;
    private volatile LeaseLostException? _reason;

    /// <summary>A lease that was just granted.</summary>
    /// <param name="environment">Clock, loops and log.</param>
    /// <param name="location">What it is the lease of, for messages.</param>
    /// <param name="holder">Who holds it.</param>
    /// <param name="duration">Time for which the service grants it.</param>
    /// <param name="provenAt">The clock's timestamp before the request that was granted.</param>
    protected RenewedLease(LogStoreEnvironment environment, string location, string holder, TimeSpan duration, long provenAt) =>
        (_environment, _location, Holder, _duration, _provenAt) = (environment, location, holder, duration, provenAt);

    public string Holder { get; }

    public CancellationToken Lost => _lost.Token;

    /// <summary>Whether its holder has given it back, or is about to.</summary>
    public bool IsGivenBack => _ended.IsCancellationRequested;

    private TimeSpan Usable => _duration * 0.9;

    private TimeSpan Left => Usable - _environment.Time.GetElapsedTime(Volatile.Read(ref _provenAt));

    /// <summary>Begins to renew it, on a loop of its own: nothing else may keep it waiting.</summary>
    public void Start(string instance) => _renewing = _environment.Loops.Start($"lease {instance}", RenewAsync);

    public ValueTask VerifyAsync()
    {
        if (_reason is { } reason)
        {
            throw reason;
        }

        return Left > TimeSpan.Zero ? default : throw Lapsed();
    }

    public async ValueTask DisposeAsync()
    {
        EndRenewing();
        await _renewing;
        if (_reason is null)
        {
            try
            {
                await ReleaseAsync();
            }
            catch (LogStoreException error)
            {
                // It lapses by itself; whoever comes next waits that long.
                ServiceLog.LeaseNotReleased(_environment.Logger, _location, error.Message);
            }
        }

        await DisposeClientAsync();
        _ended.Dispose();
        _lost.Dispose();
    }

    /// <summary>Asks the service for another term; false when somebody else has the lease. A <see cref="LogStoreException"/> says that it could not be asked, or refused to answer.</summary>
    protected abstract ValueTask<bool> TryRenewAsync(CancellationToken cancellationToken);

    /// <summary>Gives it back.</summary>
    protected abstract ValueTask ReleaseAsync();

    /// <summary>Lets go of connections.</summary>
    protected abstract ValueTask DisposeClientAsync();

    /// <summary>Somebody who asked the service learned that the lease is another's.</summary>
    internal LeaseLostException Fenced()
    {
        var error = new LeaseLostException("IC-3001", "fenced: another process holds the right to append", _location);
        Lose(error);
        return _reason!;
    }

    private LeaseLostException Lapsed() => new("IC-3005", $"the lease could not be renewed within {Usable.TotalSeconds:0.#} s", _location);

    private async Task RenewAsync()
    {
        TimeSpan pause = _duration / 3;
        while (await PauseAsync(pause))
        {
            long asked = _environment.Time.GetTimestamp();
            bool? renewed = await AskAsync();
            if (renewed == false)
            {
                Fenced();
                return;
            }

            // A stopped process may be told of a renewal long after the lease that it renewed was over: then others had reason to act.
            if (Left <= TimeSpan.Zero)
            {
                Lose(Lapsed());
                return;
            }

            if (renewed == true)
            {
                Volatile.Write(ref _provenAt, asked);
            }

            pause = renewed == true ? _duration / 3 : _duration / 30;
        }
    }

    /// <summary>True: renewed; false: another's; null: no answer in the time that is left.</summary>
    private async ValueTask<bool?> AskAsync()
    {
        TimeSpan left = Left;
        if (left <= TimeSpan.Zero)
        {
            return null;
        }

        using var limit = new CancellationTokenSource(left, _environment.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, _ended.Token);
        try
        {
            // Raced, too: a client may take its time to give up.
            return await TryRenewAsync(either.Token).AsTask().WaitAsync(either.Token);
        }
        catch (OperationCanceledException)
        {
            return null;
        }
        catch (LogStoreException error)
        {
            // Also one that refuses: the lease is nobody else's for that, and a secret that is just being changed is right a little later.
            ServiceLog.LeaseNotRenewed(_environment.Logger, _location, left.TotalSeconds, error.Message);
            return null;
        }
    }

    private async ValueTask<bool> PauseAsync(TimeSpan pause)
    {
        try
        {
            await Task.Delay(pause, _environment.Time, _ended.Token);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    // Not CancelAsync: that goes through the thread pool, and where its caller runs is not for the pool to decide.
    private void EndRenewing() => _ended.Cancel();

    private void Lose(LeaseLostException error)
    {
        if (_reason is null)
        {
            _reason = error;
            try
            {
                _lost.Cancel();
            }
            catch (ObjectDisposedException)
            {
                // Given back already, while a checkpoint that was begun under it was being finished: nobody listens any more.
            }
        }
    }
}
