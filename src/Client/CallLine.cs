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
    private ulong _last;

    /// <summary>The key.</summary>
    public CallKey Key => key;

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

    /// <summary>Takes the next number; false if the first that has not ended is too far behind.</summary>
    public bool TryBegin(out ulong number)
    {
        lock (_gate)
        {
            number = _last + 1;
            if (number - Low > Window)
            {
                return false;
            }

            _last = number;
            _open.Add(number);
            return true;
        }
    }

    /// <summary>A call has ended: its caller has its answer, or wants none any more.</summary>
    public void End(ulong number)
    {
        lock (_gate)
        {
            _open.Remove(number);
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
