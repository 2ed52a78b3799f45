using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;
using Ambrosia.Protocol;

namespace Ambrosia.TimeTravel.Log;

/// <summary>
/// Messages that were quarantined, and records behind which the state was upgraded: a replay must know them before it reaches them, and
/// the decision stands later in the log. So the log is read once for its marks, and what has come since whenever somebody asks again.
/// </summary>
internal sealed class LoggedDecisions(WriteAheadLog log, ReadLimit limit)
{
    private readonly List<MessagePosition> _skips = [];
    private readonly UpgradeHistory _upgrades = new();
    private readonly SortedDictionary<ulong, long> _limits = [];
    private readonly SortedDictionary<ulong, AwakeableKey> _keys = [];
    private Lsn _through;

    /// <summary>Notes how large a message a handler may send from this record on, or after this checkpoint; 0: nothing is said.</summary>
    public void Limit(ulong lsn, long largestMessage)
    {
        if (largestMessage > 0)
        {
            _limits[lsn] = largestMessage;
        }
    }

    /// <summary>Notes by what awakeables are named from this record on, or after this checkpoint; null: nothing is said.</summary>
    public void Name(ulong lsn, AwakeableKey? key)
    {
        if (key is not null)
        {
            _keys[lsn] = key;
        }
    }

    /// <summary>By what awakeables are named after this record, as far as the log that was read says; null: not known.</summary>
    public AwakeableKey? AwakeablesBehind(ulong lsn) => _keys.LastOrDefault(key => key.Key <= lsn).Value;

    /// <summary>Largest message that a handler may send after this record, as far as the log that was read says; 0: not known.</summary>
    public long LargestMessageBehind(ulong lsn) => _limits.LastOrDefault(limit => limit.Key <= lsn).Value;

    /// <summary>All that are known by now: messages that no replay may execute, and upgrades, in the order of the log.</summary>
    public async ValueTask<(IReadOnlyList<MessagePosition> Skips, IReadOnlyList<VersionChange> Upgrades)> ReadAsync()
    {
        await using LogReader reader = log.OpenReader(Lsn.Max(_through.Next, log.OldestLsn), limit, endsOnly: true);
        while (await reader.ReadAsync() == ReadOutcome.Record && await RecordReader.ReadTrailerAsync(reader) is { } trailer)
        {
            _through = reader.Header.Lsn;
            trailer.Upgrades.ForEach(_upgrades.Apply);
            Limit(_through.Value, trailer.LargestMessage);
            Name(_through.Value, trailer.Awakeables);
            foreach (QuarantineStep mark in trailer.Poison)
            {
                if (mark.Step == PoisonStep.Quarantined)
                {
                    _skips.Add(mark.First);
                }
            }
        }

        return (_skips, _upgrades.Marks);
    }
}
