using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>
/// Compares, record by record, what the app sends during replay with what it sent when the record was new (G4, exactly-once.md H19).
/// The digest of a record is logged in a later record; both sides of a comparison may come first.
/// </summary>
/// <param name="instance">Whose app it is.</param>
/// <param name="pending">Takes the digests of records that are new, and of those whose digest the log does not have.</param>
/// <param name="limits">How many digests are held.</param>
/// <param name="contentsDiffer">Told of each record that led to the same messages by number and destination, and to other contents.</param>
internal sealed class ReplayCheck(string instance, PendingMarks pending, CoreLimits limits, Action<ulong> contentsDiffer)
{
    private readonly Dictionary<ulong, TurnDigest> _logged = [];
    private readonly SortedDictionary<ulong, TurnDigest> _replayed = [];
    private readonly Dictionary<ulong, TurnDigest> _unread = []; // Handed over to be logged; a session would not find them in the log.
    private readonly TurnDigester _digester = new();
    private ulong _done;
    private ulong _replayThrough;

    /// <summary>True while so many executed records wait for their digests that these are looked for further on in the log.</summary>
    public bool IsBehind => _replayed.Count >= limits.DigestsBeforeLookahead;

    /// <summary>True for the app of the process that writes the log: what the log does not tell of an executed record is logged.</summary>
    public bool IsWriters => _replayThrough < ulong.MaxValue;

    /// <summary>Digests that are held for a comparison: bounded, however long the replay.</summary>
    public int Held => _replayed.Count + _logged.Count + _unread.Count;

    /// <summary>
    /// The same for an app that executes the same log beside this one; what it does is logged by nobody, and its build may have corrected
    /// a text.
    /// </summary>
    public ReplayCheck Beside() => new(instance, new PendingMarks(limits), limits, static _ => { });

    /// <summary>
    /// A session of an app begins with the state after <paramref name="from"/>; records up to <paramref name="replayThrough"/> were
    /// executed before.
    /// </summary>
    public void Begin(ulong from, ulong replayThrough)
    {
        _logged.Clear();
        _replayed.Clear();
        foreach (ulong lsn in _unread.Keys.Where(lsn => lsn <= from).ToList())
        {
            _unread.Remove(lsn); // No replay comes there any more.
        }

        (_done, _replayThrough) = (from, replayThrough);
        _digester.Forget();
    }

    /// <summary>The end of a replay that had none: a secondary has become the primary.</summary>
    public void EndAt(ulong replayThrough) => _replayThrough = replayThrough;

    /// <summary>A run of messages to one destination. How runs are cut does not matter, only the sequence of messages.</summary>
    public void Sent(string destination, in ReadOnlySequence<byte> messages, int count, bool hasExceptions)
    {
        _digester.Sent(destination, count);
        _digester.Include(messages, hasExceptions);
    }

    /// <summary>A digest that a record's trailer carries for an earlier record.</summary>
    /// <exception cref="CoordinatorException">Replay diverged.</exception>
    public void Logged(TurnDigest digest)
    {
        _unread.Remove(digest.Lsn);
        if (!TryCompare(digest) && digest.Lsn > _done && digest.Lsn <= _replayThrough)
        {
            _logged.TryAdd(digest.Lsn, digest); // What was logged first counts.
        }
    }

    /// <summary>
    /// Digests are in a durable record, where a later session finds them. This session keeps those of records that it has yet to execute:
    /// its replay ends before it reads that record.
    /// </summary>
    public void BecameDurable(List<TurnDigest> digests)
    {
        foreach (TurnDigest digest in digests)
        {
            if (digest.Lsn <= _done)
            {
                _unread.Remove(digest.Lsn);
            }
        }
    }

    /// <summary>
    /// A digest that was read ahead. True when nothing can be done with it any more; false when the app has yet to execute its record.
    /// </summary>
    /// <exception cref="CoordinatorException">Replay diverged.</exception>
    public bool Ahead(TurnDigest digest) => TryCompare(digest) || digest.Lsn <= _done;

    /// <summary>The app has executed the whole record.</summary>
    /// <exception cref="CoordinatorException">Replay diverged.</exception>
    public void RecordDone(ulong lsn)
    {
        TurnDigest digest = _digester.Close(lsn);
        _done = lsn;
        if (lsn > _replayThrough)
        {
            Log(digest);
        }
        else if (_logged.Remove(lsn, out TurnDigest? expected) || _unread.TryGetValue(lsn, out expected))
        {
            Compare(expected, digest);
        }
        else
        {
            _replayed[lsn] = digest;
            if (!IsWriters && _replayed.Count > limits.DigestsHeld)
            {
                // The writer has looked ahead by then. A replica's app can be far ahead of its primary's: until that one has executed as
                // much, nobody tells what is right.
                _replayed.Remove(_replayed.First().Key);
                limits.Decided(CoreLimit.DigestsHeld);
            }
        }
    }

    /// <summary>
    /// The log was read to its end: it has no digest of what was executed so far. Its writer logs them now, not all of them at the end of
    /// the replay: that would take memory for each record that came while there was no app. A replica waits for its primary's.
    /// </summary>
    public void NoneAhead()
    {
        if (IsWriters)
        {
            ReplayEnded();
        }
    }

    /// <summary>Replay is over: what no record told us is logged now, so that the next replay can be compared.</summary>
    public void ReplayEnded()
    {
        foreach (TurnDigest digest in _replayed.Values)
        {
            Log(digest);
        }

        _replayed.Clear();
    }

    /// <summary>
    /// The log was read up to the digest of this record: those of earlier ones that were not met are not in it, and a replica's primary
    /// will not log them either.
    /// </summary>
    public void NoneBefore(ulong lsn)
    {
        foreach (TurnDigest digest in _replayed.Values.TakeWhile(digest => digest.Lsn < lsn).ToList())
        {
            _replayed.Remove(digest.Lsn);
            if (IsWriters)
            {
                Log(digest);
            }
        }
    }

    /// <summary>The failure of an instance whose replay must not send other contents.</summary>
    public static CoordinatorException OtherContents(string instance, ulong lsn) =>
        Diverged(instance, lsn, "as many messages to the same destinations, with other contents", "; without --on-content-divergence stop "
            + "this is reported, and the instance goes on");

    private static CoordinatorException Diverged(string instance, ulong lsn, string said, string otherwise = "") => new(
        ReplayErrors.Diverged,
        "replay diverged",
        $"{instance}, record {lsn}: it sent {said}",
        "the log is intact",
        "has the code changed, or a package? Then run the build that wrote the log. Else find what is not deterministic: clocks, random "
            + "numbers, "
        + $"threads, order of enumeration{otherwise}");

    private void Log(TurnDigest digest)
    {
        _unread[digest.Lsn] = digest;
        pending.Add(digest);
    }

    private bool TryCompare(TurnDigest logged)
    {
        if (!_replayed.Remove(logged.Lsn, out TurnDigest? actual))
        {
            return false;
        }

        Compare(logged, actual);
        return true;
    }

    private void Compare(TurnDigest logged, TurnDigest actual)
    {
        if (logged.OrderHash != actual.OrderHash)
        {
            string said = logged.Describe() == actual.Describe() ? "the same counts in another order" : $"{logged.Describe()}, now "
                + $"{actual.Describe()}";
            throw Diverged(instance, logged.Lsn, said);
        }

        if (logged.Contents != 0 && actual.Contents != 0 && logged.Contents != actual.Contents)
        {
            contentsDiffer(logged.Lsn);
        }
    }
}
