using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.LogStore.Tests;

/// <summary>What a log offers to replicas that share it, beside what every store owes them: nothing before it is proven, signs of
/// life.</summary>
public sealed class ReplicaTests
{
    private static readonly LogStoreOptions s_options = new() { SegmentSize = 64 * 1024, PageSize = 4096, SpareSegments = 0 };
    private readonly MemoryFileSystem _disk = new();

    [Fact] // docs/internals/exactly-once.md H6, H7
    public async Task A_replica_makes_no_checkpoint_of_what_it_has_not_found_proven()
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(0));
        await using WriteAheadLog replica = await OpenAsync(1);
        await using LogReader reader = replica.OpenReader(Lsn.None);
        await writer.AppendAsync([1], [2]);
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
        }

        Assert.Equal(new Lsn(1), replica.DurableLsn);
        Assert.Throws<ArgumentOutOfRangeException>(() => replica.BeginCheckpoint(new Lsn(2)));
    }

    [Fact]
    public async Task A_holder_that_beats_can_be_told_from_one_that_stands_still_and_from_one_that_never_did()
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(0));
        await using WriteAheadLog replica = await OpenAsync(1);
        Assert.Null(await replica.ReadBeatAsync());
        await writer.Lease.BeatAsync();
        string first = (await replica.ReadBeatAsync())!;
        Assert.StartsWith(await replica.ReadHolderAsync() + " ", first, StringComparison.Ordinal);
        Assert.Equal(first, await replica.ReadBeatAsync());
        await writer.Lease.BeatAsync();
        Assert.NotEqual(first, await replica.ReadBeatAsync());
    }

    [Fact] // In a service each of them is a request, and an app that costs one for each record stays behind for ever.
    public async Task A_reader_that_is_behind_needs_few_looks_while_another_finds_ever_more_proof()
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(0));
        await using WriteAheadLog replica = await OpenAsync(1);
        await using LogReader first = replica.OpenReader(Lsn.None);
        await using LogReader behind = replica.OpenReader(Lsn.None);
        var counted = new CountedCalls(FileCallKind.Read, ".seg");
        int looksOfTheOneBehind = 0;
        for (int i = 0; i < 100; i++)
        {
            await writer.AppendAsync([1], [2]);
            while (await first.ReadAsync() == ReadOutcome.Record)
            {
            }

            _disk.Faults = counted;
            int before = counted.Hits;
            Assert.Equal(ReadOutcome.Record, await behind.ReadAsync());
            looksOfTheOneBehind += counted.Hits - before;
            _disk.Faults = null;
        }

        Assert.Equal(new Lsn(100), behind.NextLsn.Previous);
        Assert.InRange(looksOfTheOneBehind, 1, 30);
    }

    [Fact] // A process that stands still is ended by the name in the lock: as long as that is another's, none could.
    public async Task A_holder_whose_name_did_not_fit_on_a_full_disk_gives_it_with_its_first_beat_when_there_is_room()
    {
        await using (LogHarness first = await LogHarness.StartAsync(await OpenAsync(0, "first")))
        {
            await first.Lease.BeatAsync();
        }

        _disk.Faults = new FailAlways(FileCallKind.Write, Errno.ENOSPC, "/lock");
        await using WriteAheadLog log = await OpenAsync(1, "second");
        await using ILogLease second = (await log.TryAcquireAsync())!;
        await second.BeatAsync();
        Assert.NotEqual("second", await log.ReadHolderAsync());
        _disk.Faults = null;
        await second.BeatAsync();
        Assert.Equal("second", await log.ReadHolderAsync());
        Assert.StartsWith("second ", await log.ReadBeatAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_a_living_replica_has_begun_stays_when_another_begins_to_append_and_what_a_dead_one_left_goes()
    {
        LogHarness first = await LogHarness.StartAsync(await OpenAsync(0));
        await first.AppendAsync([1], [2]);
        await first.DisposeAsync();
        await using WriteAheadLog living = await OpenAsync(1);
        await using ILogLease seat = (await living.AcquireNamedLeaseAsync(NamedLeases.Replica(1), wait: false, CancellationToken.None))!;
        await using LogReader reader = living.OpenReader(Lsn.None);
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
        }

        await using CheckpointWriter begun = living.BeginCheckpoint(new Lsn(1));
        await begun.WriteAsync(new byte[1 << 20]);
        await Poll.UntilAsync(() => Unfinished().Count == 1);
        await LeaveAsync("00000000000000000001.ckpt.2.tmp");
        await LeaveAsync("00000000000000000001.ckpt.tmp");

        await using LogHarness next = await LogHarness.StartAsync(await OpenAsync(0));
        Assert.EndsWith(".ckpt.1.tmp", Assert.Single(Unfinished()), StringComparison.Ordinal);
        await begun.CompleteAsync();
        Assert.Empty(Unfinished());
    }

    [Fact]
    public async Task A_checkpointer_removes_what_its_own_earlier_life_had_not_finished_before_it_begins_anew()
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(0));
        await writer.AppendAsync([1], [2]);
        await LeaveAsync("00000000000000000001.ckpt.0.tmp");
        await LeaveAsync("00000000000000000001.ckpt.2.tmp");
        await writer.CheckpointAsync(new Lsn(2), new byte[100]);
        // That one may be at work: only who becomes the writer asks.
        Assert.EndsWith(".ckpt.2.tmp", Assert.Single(Unfinished()), StringComparison.Ordinal);
    }

    [Fact] // Both write the manifest.
    public void A_checkpoint_that_gets_its_name_while_its_replica_becomes_the_writer_is_in_the_manifest() => SingleThread.Run(async () =>
    {
        var loops = new InlineLoopRunner();
        await using (LogHarness first = await LogHarness.StartAsync(await OpenAsync(0, loops: loops)))
        {
            await first.AppendAsync([1], [2], [3]);
        }

        await using WriteAheadLog replica = await OpenAsync(1, loops: loops);
        await using LogReader reader = replica.OpenReader(Lsn.None);
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
        }

        await using (CheckpointWriter named = replica.BeginCheckpoint(new Lsn(1)))
        {
            await named.CompleteAsync();
        }

        await using CheckpointWriter begun = replica.BeginCheckpoint(new Lsn(2));
        var slow = new SlowCall(FileCallKind.Open, "/manifest.1.tmp");
        _disk.Faults = slow;
        await using ILogLease lease = (await replica.TryAcquireAsync())!;
        Task<WriterStart> becoming = replica.BecomeWriterAsync(lease).AsTask();
        await slow.Begun;
        await Task.WhenAll(becoming, begun.CompleteAsync().AsTask());
        Assert.Equal([new Lsn(2), new Lsn(1)], replica.Checkpoints.Select(static checkpoint => checkpoint.Lsn));
        await using WriteAheadLog view = await OpenAsync(2, loops: loops);
        Assert.Equal([new Lsn(2), new Lsn(1)], view.Checkpoints.Select(static checkpoint => checkpoint.Lsn));
    });

    private List<string> Unfinished() => [.. _disk.AllFiles().Where(static path => path.EndsWith(".tmp", StringComparison.Ordinal))];

    private async Task LeaveAsync(string name)
    {
        await using IFile file = await _disk.OpenAsync($"/bank/checkpoints/{name}", FileOpening.CreateNew);
        await file.WriteAsync(new byte[100], 0);
    }

    private ValueTask<WriteAheadLog> OpenAsync(int replica, string process = "a process", ILoopRunner? loops = null) =>
        LogStores.OpenLogAsync(
        "memory:", "bank", s_options with { Replica = replica },
        new LogStoreEnvironment
            { Memory = _disk.NewProcess(), ProcessName = process, Loops = loops ?? new ThreadLoopRunner(), Fatal = new RecordingFatal() });
}
