using Ambrosia.ImmortalCoordinator.Ingest;

namespace Ambrosia.ImmortalCoordinator.Application;

/// <summary>
/// Compares, record by record, what the app sends during replay with what it sent when the record was new (G4, PROTOCOL H19).
/// The digest of a record is logged in a later record; both sides of a comparison may come first.
/// </summary>
internal sealed class ReplayCheck(string instance, PendingMarks pending)
{
    private readonly Dictionary<ulong, TurnDigest> _logged = [];
    private readonly Dictionary<ulong, TurnDigest> _replayed = [];
    private readonly TurnDigester _digester = new();
    private ulong _replayThrough;

    /// <summary>A session of an app begins; records up to this one were executed before.</summary>
    public void Begin(ulong replayThrough)
    {
        _logged.Clear();
        _replayed.Clear();
        _replayThrough = replayThrough;
        _digester.Forget();
    }

    /// <summary>The end of a replay that had none: a secondary has become the primary.</summary>
    public void EndAt(ulong replayThrough) => _replayThrough = replayThrough;

    /// <summary>A run of messages to one destination. How runs are cut does not matter, only the sequence of destinations.</summary>
    public void Sent(string destination, int count) => _digester.Sent(destination, count);

    /// <summary>A digest that a record's trailer carries for an earlier record.</summary>
    /// <exception cref="CoordinatorException">Replay diverged.</exception>
    public void Logged(TurnDigest digest)
    {
        if (_replayed.Remove(digest.Lsn, out TurnDigest? actual))
        {
            Compare(digest, actual);
        }
        else if (digest.Lsn <= _replayThrough)
        {
            _logged[digest.Lsn] = digest;
        }
    }

    /// <summary>The app has executed the whole record.</summary>
    /// <exception cref="CoordinatorException">Replay diverged.</exception>
    public void RecordDone(ulong lsn)
    {
        TurnDigest digest = _digester.Close(lsn);
        if (lsn > _replayThrough)
        {
            pending.Add(digest);
        }
        else if (_logged.Remove(lsn, out TurnDigest? expected))
        {
            Compare(expected, digest);
        }
        else
        {
            _replayed[lsn] = digest;
        }
    }

    /// <summary>Replay is over: what no record told us is logged now, so that the next replay can be compared.</summary>
    public void ReplayEnded()
    {
        foreach (TurnDigest digest in _replayed.Values.OrderBy(d => d.Lsn))
        {
            pending.Add(digest);
        }

        _replayed.Clear();
    }

    private void Compare(TurnDigest logged, TurnDigest actual)
    {
        if (logged.OrderHash == actual.OrderHash)
        {
            return;
        }

        string said = logged.Describe() == actual.Describe() ? "the same counts in another order" : $"{logged.Describe()}, now {actual.Describe()}";
        throw new CoordinatorException(
            "IC-6001",
            ExitCode.Diverged,
            "replay diverged",
            $"{instance}, record {logged.Lsn}: it sent {said}",
            "the log is intact",
            "run the same build as before, or find what is not deterministic: clocks, random numbers, threads, order of enumeration");
    }
}
