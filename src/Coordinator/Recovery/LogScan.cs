using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Read;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Recovery;

/// <summary>What the records behind a checkpoint say of inputs and trims, read before anybody connects; the app replays them later.</summary>
public static class LogScan
{
    /// <summary>
    /// Brings inputs and outputs up to the log's end, tells <paramref name="found"/> of each record; returns the bytes of log behind the checkpoint. The payloads of large records are not read: whoever delivers them to the app checks them before it sees a byte.
    /// </summary>
    /// <exception cref="CoordinatorException">A record that is durable cannot be read.</exception>
    internal static async ValueTask<long> RunAsync(WriteAheadLog log, Lsn from,
        InputTable inputs, OutputTable outputs, PoisonState poison, UpgradeHistory upgrades, ulong epoch,
        Action<Lsn, long>? found = null)
    {
        long bytes = 0;
        await using LogReader reader = log.OpenReader(from.Next, endsOnly: true);
        while (reader.NextLsn <= log.DurableLsn)
        {
            ReadOutcome outcome = await reader.ReadAsync();
            if (outcome != ReadOutcome.Record)
            {
                throw Unreadable(reader.NextLsn, outcome);
            }

            bytes += reader.Header.BodySize;
            found?.Invoke(reader.Header.Lsn, reader.Header.BodySize);
            await ApplyAsync(log, from, reader, inputs, outputs, poison, upgrades, epoch);
        }

        return bytes;
    }

    /// <summary>Applies the record that was just read, and returns what it says; <paramref name="from"/> is the checkpoint that all began with.</summary>
    /// <exception cref="CoordinatorException">A record that is durable cannot be read, or contradicts the checkpoint.</exception>
    internal static async ValueTask<RecordTrailer> ApplyAsync(WriteAheadLog log, Lsn from, LogReader reader,
        InputTable inputs, OutputTable outputs, PoisonState poison, UpgradeHistory upgrades, ulong epoch)
    {
        RecordTrailer trailer = await ReadTrailerAsync(reader) ?? throw Unreadable(reader.NextLsn, ReadOutcome.Trimmed);
        Apply(trailer, inputs, outputs, epoch);
        trailer.Upgrades.ForEach(upgrades.Apply);
        trailer.Builds.ForEach(upgrades.Apply);
        if (trailer.Poison.Count > 0 && reader.Header.Lsn > poison.Through)
        {
            RequireWithout(trailer.Poison, from, reader.Header.Lsn);
            poison.Apply(await WithLettersAsync(log, trailer.Poison), reader.Header.Lsn, reader.Header.Timestamp);
        }

        return trailer;
    }

    /// <summary>The trailer of the record that was just read; null: it has been deleted meanwhile.</summary>
    /// <exception cref="LogCorruptException">The record is damaged.</exception>
    public static async ValueTask<RecordTrailer?> ReadTrailerAsync(LogReader reader) =>
        !reader.IsWhole && RecordTrailer.TryReadEnd(reader.Body.Span, reader.Header.Lsn, reader.Header.Epoch) is { } trailer ? trailer
            : await reader.ReadWholeAsync() == ReadOutcome.Record ? RecordTrailer.Read(reader.Body, out _)
            : null;

    /// <summary>For a secondary: a place that lies behind every decision in the log as it is at this moment, also one that nothing proves durable yet.</summary>
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

    /// <summary>The failure for a record that is durable and not to be had.</summary>
    public static CoordinatorException Unreadable(Lsn lsn, ReadOutcome outcome) => new(
        "IC-2033", ExitCode.StoreDamaged, "a durable record cannot be read again", $"record {lsn}: {outcome}",
        "nothing was acknowledged that is not in the log", "restart: recovery examines the log");

    // Nobody quarantines a message that a checkpoint contains, and whoever knows of a quarantine says so in its checkpoints. Builds before this rule could, in a rare moment.
    private static void RequireWithout(List<PoisonMark> marks, Lsn checkpoint, Lsn record)
    {
        if (marks.Find(mark => mark.Step == PoisonStep.Quarantined && mark.First.Lsn <= checkpoint.Value) is { } mark)
        {
            throw new CoordinatorException(
                "IC-2016", ExitCode.StoreDamaged, "the newest checkpoint contains a message that was quarantined, so that its state never was", $"checkpoint {checkpoint}, message {mark.First}, quarantined in record {record}",
                "nothing was changed, the log is untouched", "put that checkpoint's file aside: an older one and the log behind it are used then");
        }
    }

    // A quarantined message stands in the log that is kept: no checkpoint from before its quarantine is beyond it.
    private static async ValueTask<List<PoisonMark>> WithLettersAsync(WriteAheadLog log, List<PoisonMark> marks)
    {
        var complete = new List<PoisonMark>();
        foreach (PoisonMark mark in marks)
        {
            LoggedMessage? message = mark.Step == PoisonStep.Quarantined ? await LoggedMessage.ReadAsync(log, mark.First) : null;
            if (mark.Step == PoisonStep.Quarantined && message is null)
            {
                throw new CoordinatorException(
                    "IC-2033", ExitCode.StoreDamaged, "a durable record cannot be read again", $"record {mark.First.Lsn}, of which a message was quarantined",
                    "nothing was acknowledged that is not in the log", "restart: recovery examines the log");
            }

            complete.Add(message is null ? mark : mark with { Letter = new DeadLetter(mark.First, message.From, message.Message) });
        }

        return complete;
    }

    private static void Apply(RecordTrailer trailer, InputTable inputs, OutputTable outputs, ulong epoch)
    {
        foreach (InputMark input in trailer.Inputs)
        {
            inputs.Get(input.Name).Restore(input.SenderId, input.Watermark);
        }

        foreach (TrimMark trim in trailer.Trims)
        {
            OutputBuffer buffer = outputs.Get(trim.Destination);
            buffer.AcceptReceiver(trim.ReceiverEpoch, trim.ReceiverId);
            buffer.TrimTo(new Watermark(trim.Number, trim.Number, 0), epoch);
        }

        trailer.Drops.ForEach(drop => outputs.Get(drop.Destination).Drop(drop.Number));
    }
}
