using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.TimeTravel.Link;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Comparing;

/// <summary>
/// Compares the outputs of whole records with the digests that the coordinator logged when they were new: how many to which destination,
/// the order of destinations, and a checksum of the contents. This needs no old version, and sees what two equal runs have in common
/// against the original one.
/// </summary>
internal sealed class DigestCheck(string instance)
{
    private readonly Dictionary<ulong, TurnDigest> _logged = [];
    private readonly Dictionary<ulong, TurnDigest> _actual = [];
    private readonly Coordinator.Delivery.TurnDigester _digester = new();
    private ulong _lsn;

    /// <summary>Records compared.</summary>
    public long Compared { get; private set; }

    /// <summary>A record tells of earlier ones.</summary>
    public void Seen(LoggedRecord record)
    {
        foreach (TurnDigest digest in record.Digests)
        {
            _logged[digest.Lsn] = digest;
        }
    }

    /// <summary>What one turn of a record sent.</summary>
    public void Sent(ulong lsn, TurnOutputs outputs, int turn)
    {
        if (lsn != _lsn)
        {
            Close();
            _lsn = lsn;
        }

        foreach (OutputRun run in outputs.RunsOf(turn))
        {
            _digester.Sent(run.Destination, run.Count);
            _digester.Include(outputs.BytesOf(run));
        }
    }

    /// <summary>The present record is complete, as it is when another begins.</summary>
    public void Close()
    {
        if (_lsn > 0)
        {
            _actual[_lsn] = _digester.Close(_lsn);
            _lsn = 0;
        }
    }

    /// <summary>Records whose digests are known by now and differ, in order.</summary>
    public IEnumerable<(ulong Lsn, DifferenceKind Kind, string Text)> Mismatches()
    {
        foreach (ulong lsn in _actual.Keys.Where(_logged.ContainsKey).Order().ToList())
        {
            _actual.Remove(lsn, out TurnDigest? actual);
            _logged.Remove(lsn, out TurnDigest? logged);
            Compared++;
            if (actual!.OrderHash != logged!.OrderHash)
            {
                yield return (lsn, DifferenceKind.Number, actual.Describe() == logged.Describe()
                    ? $"{instance} sent {actual.Describe()} in another order of destinations than the log says"
                    : $"{instance} sent {actual.Describe()}; the log says {logged.Describe()}");
            }
            else if (actual.Contents != 0 && logged.Contents != 0 && actual.Contents != logged.Contents)
            {
                yield return (lsn, DifferenceKind.Content,
                    $"{instance} sent {actual.Describe()} with other contents than when the record was new");
            }
        }
    }
}
