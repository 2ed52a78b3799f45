using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.ImmortalCoordinator.State;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Recovery;

/// <summary>What the records behind a checkpoint say of inputs and trims, read before anybody connects; the app replays them later.</summary>
internal static class LogScan
{
    /// <summary>Brings inputs and outputs up to the log's end; returns the bytes of log behind the checkpoint.</summary>
    /// <exception cref="CoordinatorException">A record that is durable cannot be read.</exception>
    public static async ValueTask<long> RunAsync(WriteAheadLog log, Lsn from, InputTable inputs, OutputTable outputs, ulong epoch)
    {
        long bytes = 0;
        await using LogReader reader = log.OpenReader(from.Next);
        while (reader.NextLsn <= log.DurableLsn)
        {
            ReadOutcome outcome = await reader.ReadAsync();
            if (outcome != ReadOutcome.Record)
            {
                throw new CoordinatorException(
                    "IC-2033", ExitCode.StoreDamaged, "a durable record cannot be read again", $"record {reader.NextLsn}: {outcome}",
                    "nothing was acknowledged that is not in the log", "restart: recovery examines the log");
            }

            bytes += reader.Body.Length;
            Apply(RecordTrailer.Read(reader.Body, out _), inputs, outputs, epoch);
        }

        return bytes;
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
    }
}
