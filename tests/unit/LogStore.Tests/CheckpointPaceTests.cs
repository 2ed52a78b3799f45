using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

/// <summary>A checkpoint that has time is written in small pieces with rests between them.</summary>
public sealed class CheckpointPaceTests
{
    private readonly MemoryFileSystem _disk = new();
    private readonly ManualTime _time = new();
    private TimeSpan _rested;

    [Fact]
    public async Task A_checkpoint_with_a_pace_takes_as_long_as_it_says_and_settles_each_piece()
    {
        int settled = await WriteAsync(2, pause => _time.Advance(pause));
        Assert.InRange(_rested.TotalSeconds, 2.24, 2.26); // An eighth for reading it back. Less than a millisecond is no rest.
        Assert.Equal((2 << 20) / CheckpointPace.Piece + 1, settled);
    }

    [Fact]
    public async Task A_rest_that_took_too_long_is_taken_off_the_next_ones_once_and_no_further()
    {
        bool late = false;
        await WriteAsync(2, pause =>
        {
            _time.Advance(late ? pause : pause + TimeSpan.FromMinutes(1));
            late = true;
        });
        Assert.InRange(_rested.TotalSeconds, 2.1, 2.2); // One piece's rest is left out, and none of those behind it.
    }

    private async Task<int> WriteAsync(int megabytes, Action<TimeSpan> rest)
    {
        LogStoreOptions options = LogScene.Options with { CheckpointBlockSize = 256 * 1024 };
        await using LogHarness writer =
            await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", options, LogScene.Environment(_disk)));
        await writer.AppendAsync([1]);
        var counted = new CountedCalls(FileCallKind.SyncData, "checkpoints");
        _disk.Faults = counted;
        var pace = new CheckpointPace(1 << 20, _time, pause =>
        {
            _rested += pause;
            rest(pause);
            return default;
        });
        await using CheckpointWriter checkpoint = writer.Log.BeginCheckpoint(new Lsn(1), pace);
        await checkpoint.WriteAsync(new byte[megabytes << 20]);
        await checkpoint.CompleteAsync();
        return counted.Hits;
    }
}
