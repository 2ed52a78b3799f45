using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Files.Posix;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.LogStore.Tests;

/// <summary>Checkpoints may be long: writing and removing them must not make a log on the same disk wait.</summary>
public sealed class LongFileTests : IDisposable
{
    private const int Megabytes = 24;
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-long-").FullName;
    private readonly PosixFileSystem _files = new();

    private string Long => Path.Combine(_folder, "long");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_checkpoint_is_brought_to_the_device_in_pieces_while_it_is_written()
    {
        var disk = new MemoryFileSystem();
        await using LogHarness writer =
            await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "long", LogScene.Options, LogScene.Environment(disk)));
        await writer.AppendAsync([1]);
        var counted = new CountedCalls(FileCallKind.SyncData, "checkpoints");
        disk.Faults = counted;
        await using (CheckpointWriter checkpoint = writer.Log.BeginCheckpoint(new Lsn(1)))
        {
            for (int i = 0; i < Megabytes; i++)
            {
                await checkpoint.WriteAsync(new byte[1 << 20]);
            }

            await checkpoint.CompleteAsync();
        }

        Assert.InRange(counted.Hits, Megabytes, 4 * Megabytes);
    }

    [Fact]
    public async Task Of_a_deleted_long_file_that_nobody_else_has_nothing_is_left()
    {
        await MakeAsync();
        Assert.True(await _files.DeleteLongAsync(Long));
        Assert.False(File.Exists(Long));
        await Poll.UntilAsync(() => Directory.EnumerateFiles("/proc/self/fd")
            .All(descriptor => new FileInfo(descriptor).LinkTarget?.StartsWith(Long, StringComparison.Ordinal) != true));
        Assert.False(await _files.DeleteLongAsync(Long));
    }

    [Fact]
    public async Task A_long_file_that_is_deleted_while_somebody_reads_it_stays_whole_to_him()
    {
        await MakeAsync();
        await using FileStream reader = File.OpenRead(Long);
        Assert.True(await _files.DeleteLongAsync(Long));
        byte[] bytes = new byte[Megabytes << 20];
        await reader.ReadExactlyAsync(bytes);
        Assert.Equal(-1, bytes.AsSpan().IndexOfAnyExcept((byte)7));
        Assert.Equal(bytes.Length, reader.Length);
    }

    [Fact]
    public async Task A_long_file_that_is_deleted_under_one_of_its_names_stays_whole_under_the_other()
    {
        await MakeAsync();
        string other = Path.Combine(_folder, "other");
        Assert.Equal(0, Libc.Link(Long, other));
        Assert.True(await _files.DeleteLongAsync(Long));
        Assert.Equal(Megabytes << 20, new FileInfo(other).Length);
    }

    [Fact]
    public void Work_in_the_background_gives_way_to_others_and_its_exceptions_come_back()
    {
        int nice = 0;
        BackgroundThread.Run("test", () => nice = NiceOfThisThread());
        Assert.Equal(Math.Min(NiceOfThisThread() + 10, 19), nice);
        Assert.Throws<FileFailedException>(() =>
            BackgroundThread.Run("test", static () => throw new FileFailedException("open", "x", Errno.EIO)));
    }

    // Field 19 of /proc/thread-self/stat; the name in field 2 may hold spaces.
    private static int NiceOfThisThread()
    {
        string status = File.ReadAllText("/proc/thread-self/stat");
        return int.Parse(status[(status.LastIndexOf(')') + 2)..].Split(' ')[16], System.Globalization.CultureInfo.InvariantCulture);
    }

    private async Task MakeAsync()
    {
        byte[] bytes = new byte[Megabytes << 20];
        bytes.AsSpan().Fill(7);
        await File.WriteAllBytesAsync(Long, bytes);
    }
}
