using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// Asks an app that has nothing to execute, and whose process cannot be seen from here, for a sign of life. A stopped process still
/// acknowledges at the level of TCP: nothing but its own answer tells it from one that waits.
/// </summary>
/// <param name="patience">Time after its last sign of life within which it has to answer.</param>
/// <param name="time">The clock.</param>
internal sealed class LifeWatch(TimeSpan patience, TimeProvider time)
{
    private AppSession? _session;
    private MessagePosition _at;
    private long _signs;
    private long _since;
    private long _asked;
    private bool _isAsked;
    private bool _wasLate;

    /// <summary>Time since its last sign of life.</summary>
    public TimeSpan Silence => time.GetElapsedTime(_since);

    /// <summary>The app has something to execute, or its process can be seen: this is no longer the way to know.</summary>
    public void Rest() => _session = null;

    /// <summary>
    /// Looks whether an idle app has answered, and asks it now and then. True once it was asked and did not answer in time. Of an app that
    /// never answers that is not known: bindings do, but nobody relied on it.
    /// </summary>
    public bool Look(AppSession session)
    {
        if (session != _session || session.SignsOfLife != _signs || session.ExecutedBefore != _at)
        {
            (_session, _signs, _at) = (session, session.SignsOfLife, session.ExecutedBefore);
            (_since, _isAsked, _wasLate) = (time.GetTimestamp(), false, false);
        }

        TimeSpan half = patience / 2;
        if (!_isAsked && (_signs == 0 || Silence >= half))
        {
            session.Send(BindingMessageType.Heartbeat, []);
            (_isAsked, _asked) = (true, time.GetTimestamp());
        }

        // Said at the second look only: a coordinator that stood still itself looks at the clock before it reads the answer.
        bool late = _isAsked && _signs > 0 && time.GetElapsedTime(_asked) >= half;
        (bool said, _wasLate) = (late && _wasLate, late);
        return said;
    }
}
