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

    private const int Open = -1;
    private const int FirstCapacity = 16;
    private readonly object _gate = new();

    // What has become of the calls after _low: open, or the size of the answer. Each is at its number modulo the length, a power of two.
    private int[] _calls = new int[FirstCapacity];
    private ulong _last;
    private ulong _low;
    private ulong _told;
    private int _open;
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
                return _open == 0;
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
                return ((int)(_last - _low) - _open, _keptBytes);
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
                return _low;
            }
        }
    }

    /// <summary>
    /// How many calls have ended of which no call has told so; null if no call can begin, because the first that has not ended is too far
    /// behind.
    /// </summary>
    /// <param name="alone">Only if no other call is open.</param>
    public ulong? Offer(bool alone)
    {
        lock (_gate)
        {
            return CanBegin(alone) ? _low - _told : null;
        }
    }

    /// <summary>Takes the next number; false if none can begin.</summary>
    /// <param name="alone">Only if no other call is open.</param>
    /// <param name="number">The number.</param>
    public bool TryBegin(bool alone, out ulong number)
    {
        lock (_gate)
        {
            number = _last + 1;
            if (!CanBegin(alone))
            {
                return false;
            }

            if (number - _low > (ulong)_calls.Length)
            {
                Grow();
            }

            _last = number;
            Of(number) = Open;
            _open++;
            _told = _low; // This call tells it.
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
            Of(number) = bytes;
            _open--;
            _keptBytes += bytes;
            while (_low < _last && Of(_low + 1) != Open)
            {
                _keptBytes -= Of(++_low);
            }
        }
    }

    private bool CanBegin(bool alone) => _last + 1 - _low <= Window && !(alone && _open > 0);

    private ref int Of(ulong number) => ref _calls[(int)(number & (ulong)(_calls.Length - 1))];

    private void Grow()
    {
        int[] old = _calls;
        _calls = new int[old.Length * 2];
        for (ulong number = _low + 1; number <= _last; number++)
        {
            Of(number) = old[(int)(number & (ulong)(old.Length - 1))];
        }
    }
}
