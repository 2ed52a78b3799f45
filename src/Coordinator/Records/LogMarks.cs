namespace Ambrosia.Coordinator.Records;

/// <summary>
/// Where records lie in the log, in bytes from some beginning, and how far a reader has come that may begin again. Holds a
/// mark for each <paramref name="granule"/> of log, not for each record, so that what lies behind the reader may be up to so much less
/// than it says.
/// </summary>
/// <param name="granule">Bytes that one mark may stand for; a larger record has one of its own.</param>
internal sealed class LogMarks(long granule)
{
    private readonly List<(ulong Lsn, long Through)> _marks = [];
    private long _before; // Bytes up to the first mark.
    private int _at = -1; // The last mark that the reader has passed.
    private long _total;

    /// <summary>Bytes of log that the reader has before it.</summary>
    public long Behind => _total - Through(_at);

    /// <summary>Marks that are kept.</summary>
    public int Count => _marks.Count;

    /// <summary>A record follows the last one.</summary>
    public void Add(ulong lsn, long bytes)
    {
        _total += bytes;
        int last = _marks.Count - 1;
        if (last > _at && _total - Through(last - 1) <= granule)
        {
            _marks[last] = (lsn, _total); // The reader has passed none of it.
            return;
        }

        if (last == _at && last > 0 && Through(last) - Through(last - 2) <= granule)
        {
            _marks[last - 1] = _marks[last]; // Passed, and small enough for one mark.
            _marks.RemoveAt(last);
            _at--;
        }

        _marks.Add((lsn, _total));
    }

    /// <summary>The reader has read up to this record, forward or back.</summary>
    public void MoveTo(ulong lsn)
    {
        while (_at >= 0 && _marks[_at].Lsn > lsn)
        {
            _at--;
        }

        while (_at + 1 < _marks.Count && _marks[_at + 1].Lsn <= lsn)
        {
            _at++;
        }
    }

    /// <summary>The reader has passed this record for ever.</summary>
    public void Forget(ulong lsn)
    {
        int gone = 0;
        while (gone <= _at && _marks[gone].Lsn <= lsn)
        {
            gone++;
        }

        _before = Through(gone - 1);
        _marks.RemoveRange(0, gone);
        _at -= gone;
    }

    private long Through(int mark) => mark < 0 ? _before : _marks[mark].Through;
}
