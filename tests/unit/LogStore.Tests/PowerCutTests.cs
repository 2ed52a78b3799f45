using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

/// <summary>The power is cut before every single disk operation of a scene, and of what was not synced an arbitrary part is left.</summary>
public sealed class PowerCutTests
{
    private static readonly LogStoreOptions Options = LogScene.Options with { PageSize = 16 * 1024, ZeroAhead = 256 * 1024 };

    [Fact]
    public void Whatever_was_acknowledged_is_there_after_a_power_cut_at_any_operation()
    {
        (int cuts, int tornTails, int unacknowledgedKept, int withCheckpoint) = (0, 0, 0, 0);
        for (int operation = 0; ; operation++)
        {
            for (int seed = 0; seed < 4; seed++)
            {
                Outcome outcome = new();
                SingleThread.Run(() => CutAndRecoverAsync(operation, seed, outcome));
                if (!outcome.WasCut)
                {
                    Assert.True(cuts > 400, $"only {cuts} cuts were made");
                    Assert.True(tornTails > 0, "no torn tail was ever seen");
                    Assert.True(unacknowledgedKept > 0, "no unacknowledged record ever survived");
                    Assert.True(withCheckpoint > 0, "no checkpoint was ever recovered from");
                    return;
                }

                cuts++;
                tornTails += outcome.TornBytes > 0 ? 1 : 0;
                unacknowledgedKept += outcome.Recovered > outcome.Acknowledged ? 1 : 0;
                withCheckpoint += outcome.Checkpoint > 0 ? 1 : 0;
            }
        }
    }

    private static async Task CutAndRecoverAsync(int operation, int seed, Outcome outcome)
    {
        var disk = new MemoryFileSystem();
        var power = new PowerSwitch(operation);
        disk.Faults = power;
        ulong epochsTold = 0;
        List<CollectingSink> lives = [];
        try
        {
            for (int life = 0; life < 3; life++)
            {
                await LiveAsync(disk, lives, epoch => epochsTold = epoch);
            }
        }
        catch (IOException)
        {
            Assert.True(power.IsOff);
        }

        outcome.WasCut = power.IsOff;
        outcome.Acknowledged = lives.Sum(sink => sink.Durable.Count);
        disk.Faults = null;
        disk.Crash(new Random(operation * 31 + seed));

        byte[][] acknowledged = [.. lives.SelectMany(sink => sink.Durable).Select(record => record.Payload)];
        await using LogHarness next = await LogScene.StartAsync(disk, Options);
        outcome.TornBytes = next.Start.TornBytes;
        outcome.Recovered = (int)next.Start.LastLsn.Value;
        Assert.True(next.Start.Epoch.Value > epochsTold, "an epoch that was told is never opened again");
        Assert.True(outcome.Recovered >= outcome.Acknowledged,
            $"operation {operation} seed {seed}: {outcome.Acknowledged} acknowledged, {outcome.Recovered} there");
        Lsn from = Lsn.None.Next;
        await using CheckpointReader? checkpoint = await next.Log.OpenNewestValidCheckpointAsync();
        if (checkpoint is not null)
        {
            outcome.Checkpoint = checkpoint.Lsn.Value;
            Assert.Equal((byte)checkpoint.Lsn.Value, (await checkpoint.ReadAsync()).Span[0]);
            from = checkpoint.Lsn.Next;
        }

        await VerifyRecordsAsync(next.Log, from, acknowledged);
        await next.AppendAsync([1]);
    }

    private static async Task VerifyRecordsAsync(WriteAheadLog log, Lsn from, byte[][] acknowledged)
    {
        await using LogReader reader = log.OpenReader(from);
        ulong expected = from.Value;
        for (; await reader.ReadAsync() == ReadOutcome.Record; expected++)
        {
            Assert.Equal(expected, reader.Header.Lsn.Value);
            if (expected <= (ulong)acknowledged.Length)
            {
                Assert.Equal(acknowledged[expected - 1], reader.Body[..^4].ToArray());
            }
        }

        Assert.True(expected > (ulong)acknowledged.Length);
    }

    /// <summary>Appends over two segments, takes checkpoints, trims; then dies without a farewell.</summary>
    private static async Task LiveAsync(MemoryFileSystem disk, List<CollectingSink> lives, Action<ulong> tell)
    {
        LogStoreEnvironment environment = LogScene.Environment(disk);
        WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", Options, environment);
        await using var lease = await log.TryAcquireAsync();
        WriterStart start = await log.BecomeWriterAsync(lease!);
        tell(start.Epoch.Value);
        var sink = new CollectingSink();
        lives.Add(sink);
        LogAppender appender = log.StartAppending(sink);
        for (int i = 0; i < 12; i++)
        {
            PageReservation room;
            while (!appender.TryReserve(9000, out room))
            {
                await appender.WaitForPageAsync(); // Throws after the cut.
            }

            room.Span.Fill((byte)(start.LastLsn.Value + (ulong)i + 1));
            room.Publish();
            await appender.FlushAsync();
            if (i % 6 == 5) // At a segment border: the next trim deletes at once what the older checkpoint makes dispensable.
            {
                Lsn lsn = appender.DurableLsn;
                await using CheckpointWriter checkpoint = log.BeginCheckpoint(lsn);
                byte[] state = new byte[6000];
                state[0] = (byte)lsn.Value;
                await checkpoint.WriteAsync(state);
                await checkpoint.CompleteAsync();
                await log.TrimAsync();
            }
        }

        ((MemoryProcess)environment.Memory).Kill();
    }

    private sealed class Outcome
    {
        public bool WasCut { get; set; }

        public long TornBytes { get; set; }

        public int Acknowledged { get; set; }

        public int Recovered { get; set; }

        public ulong Checkpoint { get; set; }
    }

    private sealed class PowerSwitch(int operations) : IFileFaults
    {
        private int _left = operations;

        public bool IsOff { get; private set; }

        public ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            IsOff |= _left-- <= 0;
            // A write that the power cut interrupts has reached the cache in part.
            return new(IsOff ? new FileFault(Errno.EIO, call.Length / 2) : FileFault.None);
        }
    }
}
