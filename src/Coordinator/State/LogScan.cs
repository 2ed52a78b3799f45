using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;

namespace Ambrosia.Coordinator.State;

/// <summary>
/// Applies the records after a checkpoint to the state, before anybody connects; the app replays them later. The payloads of large
/// records are not read: the delivery to the app checks them before the app sees a byte.
/// </summary>
internal static class LogScan
{
    /// <summary>Brings the state up to the log's end, and tells <paramref name="found"/> of each record's LSN and bytes.</summary>
    /// <param name="log">The log; this process may append to it.</param>
    /// <param name="from">The checkpoint that the state began with.</param>
    /// <param name="state">What the records are applied to.</param>
    /// <param name="epoch">This process's epoch.</param>
    /// <param name="found">Told of each record.</param>
    /// <returns>Bytes of log after the checkpoint.</returns>
    /// <exception cref="CoordinatorException">A record that is durable cannot be read.</exception>
    public static async ValueTask<long> RunAsync(
        WriteAheadLog log, Lsn from, CoordinatorState state, ulong epoch, Action<Lsn, long>? found = null)
    {
        long bytes = 0;
        await using LogReader reader = log.OpenReader(from.Next, endsOnly: true);
        while (reader.NextLsn <= log.DurableLsn)
        {
            ReadOutcome outcome = await reader.ReadAsync();
            if (outcome != ReadOutcome.Record)
            {
                throw RecordReader.Unreadable(reader.NextLsn, outcome);
            }

            bytes += reader.Header.BodySize;
            found?.Invoke(reader.Header.Lsn, reader.Header.BodySize);
            await ApplyAsync(log, from, reader, state, epoch);
        }

        return bytes;
    }

    /// <summary>Applies the record that was just read, and returns what it says.</summary>
    /// <param name="log">Where quarantined messages are read from.</param>
    /// <param name="from">The checkpoint that the state began with.</param>
    /// <param name="reader">Has just read the record.</param>
    /// <param name="state">What it is applied to.</param>
    /// <param name="epoch">This process's epoch.</param>
    /// <exception cref="CoordinatorException">A record that is durable cannot be read, or contradicts the checkpoint.</exception>
    public static async ValueTask<RecordTrailer> ApplyAsync(
        WriteAheadLog log, Lsn from, LogReader reader, CoordinatorState state, ulong epoch)
    {
        RecordTrailer trailer = await RecordReader.ReadTrailerAsync(reader)
            ?? throw RecordReader.Unreadable(reader.NextLsn, ReadOutcome.Trimmed);
        var place = new RecordPlace(reader.Header.Lsn, reader.Header.Epoch, reader.Header.Timestamp);
        if (trailer.Poison.Count > 0 && place.Lsn > state.Poison.Through)
        {
            RequireWithout(trailer.Poison, from, place.Lsn);
            await RecordReader.AddLettersAsync(log, trailer.Poison);
        }

        state.Apply(trailer, place, RecordOrigin.Log, epoch);
        return trailer;
    }

    // No message that a checkpoint contains is quarantined, and each checkpoint says which messages are. Builds before this rule could
    // break it, in a rare moment.
    private static void RequireWithout(List<QuarantineStep> marks, Lsn checkpoint, Lsn record)
    {
        if (marks.Find(mark => mark.Step == PoisonStep.Quarantined && mark.First.Lsn <= checkpoint.Value) is { } mark)
        {
            throw new CoordinatorException(
                StoreErrors.CheckpointHasQuarantined,
                "the newest checkpoint contains a message that was quarantined, so that its state never was",
                $"checkpoint {checkpoint}, message {mark.First}, quarantined in record {record}",
                "nothing was changed, the log is untouched",
                "put that checkpoint's file aside: an older one and the log behind it are used then");
        }
    }
}
