using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.ImmortalCoordinator.Poison;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;
using Ambrosia.Protocol;

namespace Ambrosia.TimeTravel.Log;

/// <summary>
/// Messages that were quarantined: a replay must know them before it reaches them, and the decision stands later in the log than the message. So the log is read once for its marks, and
/// what has come since whenever somebody asks again.
/// </summary>
internal sealed class SkipList(WriteAheadLog log, ReadLimit limit)
{
    private readonly List<MessagePosition> _skips = [];
    private Lsn _through;

    /// <summary>All that are known by now.</summary>
    public async ValueTask<IReadOnlyList<MessagePosition>> ReadAsync()
    {
        await using LogReader reader = log.OpenReader(Lsn.Max(_through.Next, log.OldestLsn), limit);
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
            _through = reader.Header.Lsn;
            foreach (PoisonMark mark in RecordTrailer.Read(reader.Body, out _).Poison)
            {
                if (mark.Step == PoisonStep.Quarantined)
                {
                    _skips.Add(mark.First);
                }
            }
        }

        return _skips;
    }
}
