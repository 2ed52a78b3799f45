using Ambrosia.Coordinator.Outside;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>A client that waits for a call from outside. All but the end of its waiting happens on the core's context.</summary>
/// <param name="key">The call's key; null if it has none.</param>
/// <param name="call">What is to be logged; null if it only asks.</param>
/// <param name="untilDurable">It waits no longer than until the call is durable.</param>
internal sealed class OutsideWaiter(OutsideKey? key, OutsideSubmission? call, bool untilDurable)
{
    private readonly TaskCompletionSource<OutsideReply> _told = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CancellationTokenRegistration _stop;
    private volatile bool _isDurable;

    /// <summary>The call's key; null if it has none.</summary>
    public OutsideKey? Key => key;

    /// <summary>What is to be logged; null if it only asks.</summary>
    public OutsideSubmission? Call => call;

    /// <summary>Completes with what it is told.</summary>
    public Task<OutsideReply> Told => _told.Task;

    /// <summary>It waits no more.</summary>
    public bool IsOver => _told.Task.IsCompleted;

    /// <summary>Number of the call that it waits for; 0 before it is known.</summary>
    public ulong Number { get; set; }

    /// <summary>The next one that waits for the same call.</summary>
    public OutsideWaiter? Next { get; set; }

    /// <summary>From here on the token ends the waiting. Called once, before anybody else knows of this.</summary>
    /// <param name="forget">Told that nobody waits here any more, on whatever thread cancels.</param>
    /// <param name="stop">The token.</param>
    public void StopWith(Action<OutsideWaiter> forget, CancellationToken stop) => _stop = stop.UnsafeRegister(
        state =>
        {
            if (GiveUp(stop))
            {
                forget((OutsideWaiter)state!);
            }
        },
        this);

    /// <summary>The call is durable: that it was accepted may be said from now on (outside-calls.md X3).</summary>
    /// <returns>Whether it goes on waiting.</returns>
    public bool BecameDurable()
    {
        _isDurable = true;
        if (untilDurable)
        {
            Tell(new OutsideReply(OutsideReplyKind.Accepted));
        }

        return !IsOver;
    }

    /// <summary>Ends the waiting.</summary>
    public void Tell(in OutsideReply reply)
    {
        _told.TrySetResult(reply);
        _stop.Unregister();
    }

    private bool GiveUp(CancellationToken stop) =>
        _isDurable ? _told.TrySetResult(new OutsideReply(OutsideReplyKind.Accepted)) : _told.TrySetCanceled(stop);
}
