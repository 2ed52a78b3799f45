using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

public sealed class FileLogStoreTests : LogStoreConformance, IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-log-").FullName;

    protected override string Uri => "file:" + _folder;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>Checkpoints may be larger than memory; AMBROSIA_CHECKPOINT_MIB=3072 tries three gigabytes.</summary>
    [Fact]
    public async Task A_large_checkpoint_is_streamed_in_bounded_memory()
    {
        int mebibytes = int.TryParse(Environment.GetEnvironmentVariable("AMBROSIA_CHECKPOINT_MIB"), out int asked) ? asked : 64;
        await using LogHarness writer = await StartAsync();
        await writer.AppendAsync(Bytes("x"));
        byte[] part = new byte[1 << 20];
        await using (CheckpointWriter checkpoint = writer.Log.BeginCheckpoint(new Lsn(1)))
        {
            for (int i = 0; i < mebibytes; i++)
            {
                part.AsSpan().Fill((byte)(i * 7));
                await checkpoint.WriteAsync(part);
            }

            await checkpoint.CompleteAsync();
        }

        // Reading blocks and therefore stays on this thread; the whole process allocates for other tests as well.
        long before = GC.GetAllocatedBytesForCurrentThread();
        await using CheckpointReader reader = (await writer.Log.OpenNewestValidCheckpointAsync())!;
        long position = 0;
        ReadOnlyMemory<byte> block;
        while (!(block = await reader.ReadAsync()).IsEmpty)
        {
            Assert.True(block.Span.IndexOfAnyExcept((byte)((position >> 20) * 7)) < 0, $"wrong byte behind {position}");
            position += block.Length;
        }

        Assert.Equal((long)mebibytes << 20, position);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 16 << 20);
    }

    protected override LogStoreEnvironment NewEnvironment() => new() { Fatal = new RecordingFatal() };
}
