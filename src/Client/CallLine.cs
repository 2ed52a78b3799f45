namespace Ambrosia.Client;

/// <summary>
/// Numbered calls under one key. Each of them says up to which number all have ended, so that the coordinator keeps no answer that nobody
/// will ask for. Used by several threads at once.
/// </summary>
/// <param name="key">The key of them all.</param>
internal sealed class CallLine(CallKey key)
{
    /// <summary>How far calls may be ahead of the first that has not ended. A coordinator keeps twice as many.</summary>
    public const int Window = 512;

    private readonly object _gate = new();
    private readonly SortedSet<ulong> _open = [];
    private readonly SortedDictionary<ulong, int> _kept = []; // Sizes of answers, by number.
    private ulong _last;
    private ulong _told;
    private long _keptBytes;

    /// <summary>The key.</summary>
    public CallKey Key => key;

    /// <summary>When its last call began, by the clock of the lines. Only they look at it.</summary>
    public long Used { get; set; }

    /// <summary>Whether all have ended.</summary>
    public bool IsIdle
    {
        get
        {
            lock (_gate)
            {
                return _open.Count == 0;
            }
        }
    }

    /// <summary>How many calls have ended of which no call has told so.</summary>
    public ulong Untold
    {
        get
        {
            lock (_gate)
            {
                return Low - _told;
            }
        }
    }

    /// <summary>Calls that have ended after one that is open, and the bytes of their answers: a coordinator keeps them.</summary>
    public (int Calls, long Bytes) Kept
    {
        get
        {
            lock (_gate)
            {
                return (_kept.Count, _keptBytes);
            }
        }
    }

    /// <summary>Takes the next number; false if the first that has not ended is too far behind.</summary>
    /// <param name="alone">Only if no other call is open.</param>
    /// <param name="number">The number.</param>
    public bool TryBegin(bool alone, out ulong number)
    {
        lock (_gate)
        {
            number = _last + 1;
            if (number - Low > Window || (alone && _open.Count > 0))
            {
                return false;
            }

            _last = number;
            _open.Add(number);
            _told = Low; // This call tells it.
            return true;
        }
    }

    /// <summary>A call has ended: its caller has its answer, or wants none any more.</summary>
    /// <param name="number">The call.</param>
    /// <param name="bytes">Size of its answer.</param>
    public void End(ulong number, int bytes)
    {
        lock (_gate)
        {
            _open.Remove(number);
            _kept[number] = bytes;
            _keptBytes += bytes;
            while (_kept.Count > 0 && _kept.First() is var first && first.Key <= Low)
            {
                _kept.Remove(first.Key);
                _keptBytes -= first.Value;
            }
        }
    }

    /// <summary>All calls up to this number have ended.</summary>
    public ulong EndedThrough
    {
        get
        {
            lock (_gate)
            {
                return Low;
            }
        }
    }

    private ulong Low => _open.Count == 0 ? _last : _open.Min - 1;
}
