using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Leases;

/// <summary>
/// A lease that a service gives for a time and that is renewed at a third of it. The time counts from before the request that last proved
/// it, on the monotonic clock, and a tenth early: when it is over here, nobody else has it yet. That the service fences late appends is
/// what makes it safe; this makes it quick.
/// </summary>
public abstract class RenewedLease : ILogLease
{
    private readonly LogServices _services;
    private readonly string _location;
    private readonly TimeSpan _duration;
    private readonly CancellationTokenSource _lost = new();
    private readonly CancellationTokenSource _ended = new();
    private readonly List<Task> _asked = [];
    private Task _renewing = Task.CompletedTask;
    private long _provenAt;
    private volatile LogStoreException? _reason;

    /// <summary>A lease that was just granted.</summary>
    /// <param name="services">Clock, loops and log.</param>
    /// <param name="location">What it is the lease of, for messages.</param>
    /// <param name="holder">Its holder.</param>
    /// <param name="duration">Time for which the service grants it.</param>
    /// <param name="provenAt">The clock's timestamp before the request that was granted.</param>
    protected RenewedLease(LogServices services, string location, string holder, TimeSpan duration, long provenAt) =>
        (_services, _location, Holder, _duration, _provenAt) = (services, location, holder, duration, provenAt);

    public string Holder { get; }

    public CancellationToken Lost => _lost.Token;

    /// <summary>Whether its holder has given it back, or is about to.</summary>
    public bool IsGivenBack => _ended.IsCancellationRequested;

    private TimeSpan Usable => _duration * 0.9;

    private TimeSpan Left => Usable - _services.Time.GetElapsedTime(Volatile.Read(ref _provenAt));

    /// <summary>Begins to renew it, on a loop of its own: nothing else may keep it waiting.</summary>
    public void Start(string instance) => _renewing = _services.Loops.Start($"lease {instance}", RenewAsync);

    public ValueTask VerifyAsync()
    {
        if (_reason is { } reason)
        {
            throw reason;
        }

        return Left > TimeSpan.Zero ? default : throw Lapsed();
    }

    /// <summary>Waits for the next renewal that is granted, which comes within a third of the lease.</summary>
    public async ValueTask ProveAfreshAsync()
    {
        long asked = _services.Time.GetTimestamp();
        await VerifyAsync();
        while (Volatile.Read(ref _provenAt) < asked && !IsGivenBack)
        {
            await Pause.ForAsync(_duration / 30, _services.Time);
            await VerifyAsync();
        }
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
                // It lapses by itself; the next holder waits that long.
                ServiceLog.LeaseNotReleased(_services.Logger, _location, error.Message);
            }
        }

        await DisposeClientAsync();
        _ended.Dispose();
        _lost.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Asks the service once for another term; false when somebody else has the lease. A <see cref="LogStoreException"/> says that it could
    /// not be asked, or refused to answer. What repeats a
    /// request that brought nothing goes over a new connection: the old one may be what is broken.
    /// </summary>
    protected abstract ValueTask<bool> TryRenewAsync(bool isRepeated, CancellationToken cancellationToken);

    /// <summary>Gives it back.</summary>
    protected abstract ValueTask ReleaseAsync();

    /// <summary>Lets go of connections.</summary>
    protected abstract ValueTask DisposeClientAsync();

    /// <summary>An answer of the service said that the lease is another's.</summary>
    public LogStoreException Fenced() =>
        End(new LeaseLostException(LeadershipErrors.Fenced, "fenced: another process holds the right to append", _location));

    /// <summary>The service does not know the lease any more, and nobody has taken what it was for.</summary>
    protected LogStoreException LeaseForgotten() => End(new LeaseLostException(
        LeadershipErrors.LeaseForgotten, "the service has forgotten this process's lease, and nobody else has taken it", _location,
        advice: "start again: it takes a new lease; find out whether somebody broke the lease by hand, or the service was restarted"));

    private LogStoreException End(LeaseLostException error)
    {
        Lose(error);
        return _reason!;
    }

    private LeaseLostException Lapsed() =>
        new(LeadershipErrors.LeaseNotProved, $"the lease could not be renewed within {Usable.TotalSeconds:0.#} s", _location);

    private async Task RenewAsync()
    {
        TimeSpan pause = _duration / 3;
        bool isRepeated = false;
        while (await PauseAsync(pause) && _reason is null)
        {
            long before = _provenAt;
            bool answered = await AttemptAsync(isRepeated);

            // A stopped process may be told of a renewal long after the lease that it renewed was over: then others had reason to act.
            if (Left <= TimeSpan.Zero)
            {
                Lose(Lapsed());
            }

            isRepeated = _provenAt == before;
            TimeSpan next = isRepeated ? answered ? _duration / 30 : TimeSpan.Zero
                : _duration / 3 - _services.Time.GetElapsedTime(_provenAt);
            pause = next > TimeSpan.Zero ? next : TimeSpan.Zero;
        }

        foreach (Task asked in _asked)
        {
            await asked; // Each ends with the lease, or sooner.
        }
    }

    /// <summary>
    /// Asks once, and waits for a fifth of what is left: one request that gets lost must not use it up. False when no answer came in that
    /// time. The request goes on, and its answer counts whenever it
    /// comes: where the service is only slow, that is how the lease is kept.
    /// </summary>
    private async ValueTask<bool> AttemptAsync(bool isRepeated)
    {
        TimeSpan left = Left;
        if (left <= TimeSpan.Zero)
        {
            return true;
        }

        TimeSpan patience = TimeSpan.FromTicks(Math.Max(left.Ticks / 5, _duration.Ticks / 30));
        using var limit = new CancellationTokenSource(patience, _services.Time);
        Task answer = AskAsync(isRepeated);
        _asked.RemoveAll(static asked => asked.IsCompletedSuccessfully);
        _asked.Add(answer);
        try
        {
            await answer.WaitAsync(limit.Token);
            return true;
        }
        catch (OperationCanceledException)
        {
            ServiceLog.LeaseNotRenewed(_services.Logger, _location, left.TotalSeconds, "no answer yet; it is asked again");
            return false;
        }
    }

    /// <summary>
    /// One request, and what its answer means whenever it comes: a yes renews from when this was asked, a no ends the lease.
    /// </summary>
    private async Task AskAsync(bool isRepeated)
    {
        long asked = _services.Time.GetTimestamp();
        TimeSpan left = Left;
        using var limit = new CancellationTokenSource(Usable, _services.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, _ended.Token);
        try
        {
            // Raced, too: a client may take its time to give up.
            if (!await TryRenewAsync(isRepeated, either.Token).AsTask().WaitAsync(either.Token))
            {
                Fenced();
            }
            else if (Left > TimeSpan.Zero)
            {
                Volatile.Write(ref _provenAt, Math.Max(_provenAt, asked)); // A later request may have been answered sooner.
            }
        }
        catch (OperationCanceledException)
        {
            // What it could still have proved is over.
        }
        catch (LogStoreException final) when (final is StoreForgotException or LeaseLostException)
        {
            Lose(final);
        }
        catch (LogStoreException error)
        {
            // Also one that refuses: the lease is nobody else's for that, and a secret that is just being changed is right a little later.
            ServiceLog.LeaseNotRenewed(_services.Logger, _location, left.TotalSeconds, error.Message);
        }
    }

    private async ValueTask<bool> PauseAsync(TimeSpan pause)
    {
        try
        {
            await Pause.ForAsync(pause, _services.Time, _ended.Token);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    // Not CancelAsync: that goes through the thread pool, and where its caller runs is not for the pool to decide.
    private void EndRenewing() => _ended.Cancel();

    private void Lose(LogStoreException error)
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
