using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.Fuzz.Tests.Rot;

/// <summary>
/// Recovers a folder as a coordinator does: becomes the writer, takes the newest valid checkpoint, reads the log from there, then also what
/// lies before it and the other checkpoints. Whatever it is given to read must be what was written, or an exception.
/// </summary>
internal static class Recovery
{
    public static async Task<Verdict> RunAsync(string root, RotLog truth)
    {
        var logger = new CollectingLogger();
        int lost = 0;
        try
        {
            await using LogHarness writer = await RotLog.StartAsync(root, "bank", truth.Options, logger);
            ulong from = 0;
            await using (CheckpointReader? checkpoint = await writer.Log.OpenNewestValidCheckpointAsync())
            {
                if (checkpoint is not null)
                {
                    from = checkpoint.Lsn.Value;
                    byte[] state = await ReadAsync(checkpoint);
                    Require(truth.Checkpoints.TryGetValue(from, out byte[]? saved)
                        && saved.SequenceEqual(state), $"the checkpoint at {from} holds what was saved");
                }
            }

            ulong end = await ReadRecordsAsync(writer, truth, from + 1);
            Require(end == writer.Start.LastLsn.Value, "all that counts as durable is read");
            await ReadRecordsAsync(writer, truth, writer.Log.OldestLsn.Value);
            lost = (int)(truth.Last - end);
            foreach (ulong lsn in truth.Checkpoints.Keys)
            {
                await ReadOlderAsync(writer, truth, lsn);
            }

            await writer.AppendAsync([1, 2, 3]);
            Require(writer.Appender.DurableLsn.Value == end + 1, "the log goes on");
            return new Verdict(null, lost, logger.Lines);
        }
        catch (LogStoreException error)
        {
            return new Verdict(error, lost, logger.Lines);
        }
    }

    private static async Task<ulong> ReadRecordsAsync(LogHarness writer, RotLog truth, ulong from)
    {
        ulong end = from - 1;
        await using LogReader reader = writer.Log.OpenReader(new Lsn(from));
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
            Require(reader.Header.Lsn.Value == ++end && truth.Records.TryGetValue(end, out byte[]? body)
                && reader.Body.Span.SequenceEqual(body), $"record {reader.Header.Lsn} holds what was logged");
        }

        return end;
    }

    private static async Task ReadOlderAsync(LogHarness writer, RotLog truth, ulong lsn)
    {
        await using CheckpointReader? checkpoint = await writer.Log.OpenCheckpointAsync(new Lsn(lsn));
        if (checkpoint is not null)
        {
            byte[] state = await ReadAsync(checkpoint);
            Require(truth.Checkpoints[lsn].SequenceEqual(state), $"the checkpoint at {lsn} holds what was saved");
        }
    }

    private static async Task<byte[]> ReadAsync(CheckpointReader checkpoint)
    {
        var bytes = new List<byte>();
        while (await checkpoint.ReadAsync() is { IsEmpty: false } block)
        {
            bytes.AddRange(block.ToArray());
        }

        return [.. bytes];
    }

    private static void Require(bool holds, string what)
    {
        if (!holds)
        {
            throw new InvalidOperationException($"Silent loss: it is not true that {what}.");
        }
    }
}
