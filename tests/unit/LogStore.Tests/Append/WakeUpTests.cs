using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;

namespace Ambrosia.LogStore.Tests.Append;

/// <summary>The committer goes to sleep after each record, and each next message comes a little later than the one before: into every
/// moment of its going.</summary>
public sealed class WakeUpTests
{
    [Fact]
    public async Task No_message_is_left_lying_by_a_loop_that_was_just_going_to_sleep()
    {
        var environment = new LogStoreEnvironment { Memory = new MemoryFileSystem(), Fatal = new RecordingFatal() };
        var options = new LogStoreOptions { PageSize = 4096, SegmentSize = 1 << 20, ZeroAhead = 0, SpareSegments = 0 };
        await using LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", options, environment));
        for (ulong lsn = 1; lsn <= 20_000; lsn++)
        {
            Assert.True(writer.Appender.TryReserve(16, out PageReservation room));
            room.Publish();
            Assert.True(SpinWait.SpinUntil(() => writer.Appender.DurableLsn.Value >= lsn, Patience.Time), $"record {lsn} was left lying");
            Thread.SpinWait((int)(lsn % 400));
        }
    }
}
