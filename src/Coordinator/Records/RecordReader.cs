using Ambrosia.Coordinator.Errors;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Read;

namespace Ambrosia.Coordinator.Records;

/// <summary>Reads what records of the log say beside their messages.</summary>
public static class RecordReader
{
    /// <summary>The trailer of the record that was just read; null: the record has been deleted meanwhile.</summary>
    /// <exception cref="LogCorruptException">The record is damaged.</exception>
    public static async ValueTask<RecordTrailer?> ReadTrailerAsync(LogReader reader) =>
        !reader.IsWhole && RecordTrailer.TryReadEnd(reader.Body.Span, reader.Header.Lsn, reader.Header.Epoch) is { } trailer ? trailer
            : await reader.ReadWholeAsync() == ReadOutcome.Record ? RecordTrailer.Read(reader.Body, out _)
            : null;

    /// <summary>
    /// For a secondary: a place after every decision in the log as it is at this moment, also after one that nothing proves durable yet.
    /// </summary>
    public static async ValueTask<Lsn> EndOfDecisionsAsync(WriteAheadLog log)
    {
        while (true)
        {
            await using LogReader tail = await log.OpenTailAsync();
            Lsn end = tail.NextLsn.Previous;
            ReadOutcome outcome = await tail.ReadAsync();
            for (; outcome == ReadOutcome.Record; outcome = await tail.ReadAsync())
            {
                RecordTrailer trailer = RecordTrailer.Read(tail.Body, out _);
                end = trailer.Poison.Count + trailer.Upgrades.Count + trailer.Builds.Count > 0 ? tail.Header.Lsn : end;
            }

            if (outcome != ReadOutcome.Trimmed)
            {
                return end;
            }
        }
    }

    /// <summary>The failure for a record that is durable and cannot be read.</summary>
    public static CoordinatorException Unreadable(Lsn lsn, ReadOutcome outcome) => Unreadable($"record {lsn}: {outcome}");

    /// <summary>
    /// Gives each mark of a quarantined message the message itself. It stands in the log that is kept: no checkpoint from before its
    /// quarantine is after it.
    /// </summary>
    /// <exception cref="CoordinatorException">The log does not hold it.</exception>
    internal static async ValueTask AddLettersAsync(WriteAheadLog log, List<QuarantineStep> marks)
    {
        for (int i = 0; i < marks.Count; i++)
        {
            QuarantineStep mark = marks[i];
            if (mark.Step != PoisonStep.Quarantined)
            {
                continue;
            }

            PlacedMessage message = await PlacedMessage.ReadAsync(log, mark.First)
                ?? throw Unreadable($"record {mark.First.Lsn}, of which a message was quarantined");
            marks[i] = mark with { Letter = new DeadLetter(mark.First, message.From, message.Message) };
        }
    }

    private static CoordinatorException Unreadable(string where) => new(
        StoreErrors.RecordUnreadable, "a durable record cannot be read again", where,
        "nothing was acknowledged that is not in the log", "restart: recovery examines the log");
}
