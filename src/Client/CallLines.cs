namespace Ambrosia.Client;

/// <summary>
/// The lines of one client to one immortal. A call that takes long holds up its own line only, and few answers of others. A line that has
/// not been used for a while is not used again: a coordinator may forget it, and would refuse what comes after.
/// </summary>
internal sealed class CallLines(TimeProvider time)
{
    // Calls that take long make the coordinator keep the answers of others. Beyond so many in all lines each call has a line of its own,
    // where it can do so no more: one caller has room for 100,000 calls there, and for 25 MiB of answers.
    private const int MostKept = 16_384;
    private const long MostKeptBytes = 4 << 20;
    private static readonly TimeSpan s_keep = TimeSpan.FromMinutes(5); // A coordinator whose table is full forgets after ten.
    private readonly object _gate = new();
    private readonly List<CallLine> _lines = [];

    /// <summary>A new call, of the line that has most to tell.</summary>
    public NumberedCall Begin()
    {
        lock (_gate)
        {
            long now = time.GetTimestamp();
            bool alone = LookAtAll(now);
            CallLine? best = null;
            ulong most = 0;
            foreach (CallLine line in _lines)
            {
                if (line.Offer(alone) is { } untold && (best is null || untold > most)) // The earlier of equal ones.
                {
                    (best, most) = (line, untold);
                }
            }

            if (best is null)
            {
                best = new CallLine(CallKey.New(time.GetUtcNow()));
                _lines.Add(best);
            }

            best.Used = now;
            best.TryBegin(alone, out ulong number); // Only here calls begin: it can.
            return new NumberedCall(best, number);
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

    // Leaves lines that were not used for a while. True if the others keep so much that a call needs a line of its own.
    private bool LookAtAll(long now)
    {
        (long calls, long bytes) = (0, 0);
        for (int i = _lines.Count - 1; i >= 0; i--)
        {
            CallLine line = _lines[i];
            if (time.GetElapsedTime(line.Used, now) > s_keep && line.IsIdle)
            {
                _lines.RemoveAt(i);
                continue;
            }

            (int ofLine, long bytesOfLine) = line.Kept;
            (calls, bytes) = (calls + ofLine, bytes + bytesOfLine);
        }

        return calls >= MostKept || bytes >= MostKeptBytes;
    }
}
