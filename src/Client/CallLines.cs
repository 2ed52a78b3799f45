namespace Ambrosia.Client;

/// <summary>
/// The lines of one client to one immortal. A call that takes long holds up its own line only. One that nobody has used for a while is not
/// used again: a coordinator may forget it, and would refuse what comes after.
/// </summary>
internal sealed class CallLines(TimeProvider time)
{
    private static readonly TimeSpan s_keep = TimeSpan.FromMinutes(5); // A coordinator whose table is full forgets after ten.
    private readonly object _gate = new();
    private readonly List<CallLine> _lines = [];
    private long _used = time.GetTimestamp();

    /// <summary>A new call.</summary>
    public NumberedCall Begin()
    {
        lock (_gate)
        {
            if (time.GetElapsedTime(_used) > s_keep)
            {
                _lines.RemoveAll(static line => line.IsIdle);
            }

            _used = time.GetTimestamp();
            foreach (CallLine line in _lines)
            {
                if (line.TryBegin(out ulong number))
                {
                    return new NumberedCall(line, number);
                }
            }

            var next = new CallLine(CallKey.New(time.GetUtcNow()));
            _lines.Add(next);
            next.TryBegin(out ulong first);
            return new NumberedCall(next, first);
        }
    }

    /// <summary>The coordinator has forgotten a line: no new call of it would run.</summary>
    public void Leave(CallLine line)
    {
        lock (_gate)
        {
            _lines.Remove(line);
        }
    }
}
