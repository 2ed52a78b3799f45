using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Posix;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.LogStore.Tests.Support;

/// <summary>Makes the store that Fixtures/v1 holds: fixed clock, fixed identity, known content.</summary>
public static class FixtureMaker
{
    public static LogStoreOptions Options { get; } = new() { SegmentSize = 64 * 1024, PageSize = 4096, ZeroAhead = 0, SpareSegments = 0,
        CheckpointBlockSize = 4096, Cluster = "blue", Retention = RetentionPolicy.All };

    /// <summary>Records 1 to 9 in three epochs, checkpoints at 2 and 5.</summary>
    public static async Task MakeAsync(string folder)
    {
        IFileSystem files = new PosixFileSystem();
        var time = new ManualTime();
        for (int life = 0; life < 3; life++)
        {
            var environment = new LogStoreEnvironment
                { Files = files, Time = time, Entropy = new FixedEntropy(), Fatal = new RecordingFatal(), Loops = new InlineLoopRunner() };
            await using LogHarness writer =
                await LogHarness.StartAsync(await LogStores.OpenLogAsync("file:" + folder, "bank", Options, environment));
            for (int i = 1; i <= 3; i++)
            {
                time.Advance(TimeSpan.FromMilliseconds(10));
                await writer.AppendAsync(Payload(life * 3 + i));
                if (life * 3 + i is 2 or 5)
                {
                    await writer.CheckpointAsync(writer.Appender.DurableLsn, State(life * 3 + i));
                }
            }
        }
    }

    public static byte[] Payload(int lsn) => [.. Enumerable.Range(0, lsn * 11).Select(i => (byte)(i * lsn))];

    public static byte[] State(int lsn) => [.. Enumerable.Range(0, lsn * 1500).Select(i => (byte)(i + lsn))];
}
