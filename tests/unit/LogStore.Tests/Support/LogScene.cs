using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.LogStore.Tests.Support;

/// <summary>Small logs on in-memory disks, made and read on one thread.</summary>
public static class LogScene
{
    public const string Folder = "/bank/log/";

    public static LogStoreOptions Options { get; } = new()
        { SegmentSize = 64 * 1024, PageSize = 4096, ZeroAhead = 0, CheckpointBlockSize = 4096 };

    public static LogStoreEnvironment Environment(MemoryFileSystem disk, CollectingLogger? logger = null) => new()
    {
        Memory = disk.NewProcess(),
        Loops = new InlineLoopRunner(),
        Fatal = new RecordingFatal(),
        Entropy = new FixedEntropy(),
        Time = new ManualTime(),
        Logger = logger ?? new CollectingLogger(),
    };

    public static async Task<LogHarness> StartAsync(MemoryFileSystem disk, LogStoreOptions? options = null,
        CollectingLogger? logger = null) =>
        await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", options ?? Options, Environment(disk, logger)));

    /// <summary>A log of several lives with a segment each; returns the bodies of its records.</summary>
    public static async Task<List<byte[]>> MakeAsync(MemoryFileSystem disk, int lives = 4, int recordsEach = 3)
    {
        var bodies = new List<byte[]>();
        for (int life = 0; life < lives; life++)
        {
            LogHarness writer = await StartAsync(disk);
            for (int i = 0; i < recordsEach; i++)
            {
                await writer.AppendAsync([.. Enumerable.Range(0, 20 + bodies.Count * 7).Select(value => (byte)(value + life))]);
            }

            bodies.AddRange(writer.Sink.Durable.Select(record => record.Payload.Concat(record.Trailer).ToArray()));
            await writer.DisposeAsync();
        }

        return bodies;
    }

    public static string Segment(int number) => $"{Folder}{number:d10}.seg";
}
