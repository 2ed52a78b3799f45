using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Storage.Local;
using Ambrosia.LogStore.Tests.Support;

namespace Ambrosia.LogStore.Tests;

/// <summary>Segments that became spares while the log goes on.</summary>
public sealed class SpareTests
{
    private static readonly LogStoreOptions s_options = new() { SegmentSize = 64 * 1024, SpareSegments = 2 };

    // Found by power cuts of real disks, once in some thousands: the housekeeper was still syncing the name when the writer needed a
    // segment.
    [Fact]
    public async Task A_spare_is_not_written_over_while_its_name_is_not_durable()
    {
        int cameBack = 0;
        for (int seed = 0; seed < 40; seed++)
        {
            var disk = new MemoryFileSystem();
            LocalLogStorage storage = await ThreeSegmentsAsync(disk);
            var held = new HeldSyncs();
            disk.Faults = held;
            Task deleting = storage.DeleteSegmentAsync(1).AsTask();
            await held.FolderAsync();
            Task creating = storage.CreateSegmentAsync(4, Header(4)).AsTask();
            await held.FileAsync();
            disk.Crash(new Random(seed));
            held.Release();
            _ = await Record.ExceptionAsync(() => Task.WhenAll(deleting, creating));

            disk.Faults = null;
            var next = new LocalLogStorage(disk.NewProcess(), "/logs", "bank", s_options);
            IReadOnlyList<ulong> segments = await next.ListSegmentsAsync();
            cameBack += segments.Contains(1ul) ? 1 : 0;
            foreach (ulong number in segments)
            {
                Assert.Equal(Header((byte)number), await HeaderOfAsync(next, number));
            }
        }

        Assert.InRange(cameBack, 1, 39); // A cut takes the new name away, or it does not.
    }

    [Fact]
    public async Task A_spare_whose_name_is_durable_becomes_the_next_segment()
    {
        var disk = new MemoryFileSystem();
        LocalLogStorage storage = await ThreeSegmentsAsync(disk);
        await storage.DeleteSegmentAsync(1);
        Assert.Single(disk.AllFiles(), IsSpare);
        await using IStoredFile fourth = (await storage.CreateSegmentAsync(4, Header(4)))!;
        Assert.DoesNotContain(disk.AllFiles(), IsSpare);
        Assert.Equal(s_options.SegmentSize / 2, await fourth.GetLengthAsync());
        Assert.Equal([2ul, 3ul, 4ul], await storage.ListSegmentsAsync());

        static bool IsSpare(string path) => path.EndsWith(".free", StringComparison.Ordinal);
    }

    private static async Task<LocalLogStorage> ThreeSegmentsAsync(MemoryFileSystem disk)
    {
        var storage = new LocalLogStorage(disk.NewProcess(), "/logs", "bank", s_options);
        await storage.PrepareAsync();
        for (byte number = 1; number <= 3; number++)
        {
            await using IStoredFile segment = (await storage.CreateSegmentAsync(number, Header(number)))!;
            await segment.AppendAsync(new byte[(s_options.SegmentSize / 2) - SegmentBytes], SegmentBytes);
            await segment.SyncAsync();
        }

        return storage;
    }

    private const int SegmentBytes = 4096;

    private static byte[] Header(byte number)
    {
        byte[] header = new byte[SegmentBytes];
        Array.Fill(header, number);
        return header;
    }

    private static async Task<byte[]> HeaderOfAsync(LocalLogStorage storage, ulong number)
    {
        await using IStoredFile segment = (await storage.OpenSegmentAsync(number, writable: false))!;
        byte[] header = new byte[SegmentBytes];
        Assert.Equal(SegmentBytes, await segment.ReadAsync(header, 0));
        return header;
    }

    /// <summary>Lets each sync of a folder or of a file wait.</summary>
    private sealed class HeldSyncs : IFileFaults
    {
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _folder = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _file = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task FolderAsync() => _folder.Task.WaitAsync(Patience.Time);

        public Task FileAsync() => _file.Task.WaitAsync(Patience.Time);

        public void Release() => _released.SetResult();

        public async ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            TaskCompletionSource? seen = call.Kind switch
            {
                FileCallKind.SyncFolder => _folder,
                FileCallKind.Sync => _file,
                _ => null,
            };
            if (seen is not null)
            {
                seen.TrySetResult();
                await _released.Task;
            }

            return FileFault.None;
        }
    }
}
