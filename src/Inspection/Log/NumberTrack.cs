namespace Ambrosia.Inspection.Log;

/// <summary>
/// How far the numbering of messages on one connection had got after each record, as far as records moved it: ascending in both.
/// </summary>
public sealed class NumberTrack
{
    private readonly List<ulong> _lsns = [];
    private readonly List<ulong> _numbers = [];

    /// <summary>The last number that is known; 0 before the first.</summary>
    public ulong Last => _numbers.Count == 0 ? 0 : _numbers[^1];

    /// <summary>After a record that is later than all so far.</summary>
    public void Add(ulong lsn, ulong number)
    {
        if (_lsns.Count > 0 && (lsn <= _lsns[^1] || number <= _numbers[^1]))
        {
            return; // Written again after a recovery.
        }

        _lsns.Add(lsn);
        _numbers.Add(number);
    }

    /// <summary>The number after a record; null when the record lies before the first that is known.</summary>
    public ulong? Behind(ulong lsn)
    {
        int at = _lsns.BinarySearch(lsn);
        at = at >= 0 ? at : ~at - 1;
        return at < 0 ? null : _numbers[at];
    }

    /// <summary>
    /// The record that moved the numbering to this number or beyond, and the number behind the one before it; null when none did.
    /// </summary>
    public (ulong Lsn, ulong Before, ulong Behind)? Reaching(ulong number)
    {
        int at = _numbers.BinarySearch(number);
        at = at >= 0 ? at : ~at;
        return at == _numbers.Count || number == 0 ? null : (_lsns[at], at == 0 ? 0 : _numbers[at - 1], _numbers[at]);
    }

    /// <summary>Forgets what lies before a record.</summary>
    public void Forget(ulong before)
    {
        int at = _lsns.BinarySearch(before);
        at = at >= 0 ? at : ~at;
        _lsns.RemoveRange(0, at);
        _numbers.RemoveRange(0, at);
    }
}
