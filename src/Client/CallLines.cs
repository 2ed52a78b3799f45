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
            _lines.RemoveAll(line => time.GetElapsedTime(line.Used, now) > s_keep && line.IsIdle);
            bool alone = KeepMany();
            foreach (CallLine line in _lines.OrderByDescending(static line => line.Untold)) // The order of equal ones stays.
            {
                if (line.TryBegin(alone, out ulong number))
                {
                    line.Used = now;
                    return new NumberedCall(line, number);
                }
            }

            var next = new CallLine(CallKey.New(time.GetUtcNow())) { Used = now };
            _lines.Add(next);
            next.TryBegin(alone, out ulong first);
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

    private bool KeepMany()
    {
        (long calls, long bytes) = (0, 0);
        foreach (CallLine line in _lines)
        {
            (int ofLine, long bytesOfLine) = line.Kept;
            (calls, bytes) = (calls + ofLine, bytes + bytesOfLine);
        }

        return calls >= MostKept || bytes >= MostKeptBytes;
    }
}
