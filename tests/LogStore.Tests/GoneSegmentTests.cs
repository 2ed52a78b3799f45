using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Tests.Support;

namespace Ambrosia.LogStore.Tests;

/// <summary>Followers of a log in a service, where an end looks like a segment that is gone.</summary>
public sealed class GoneSegmentTests
{
    private static readonly LogStoreOptions s_options = LogScene.Options with { SpareSegments = 0 };
    private readonly MemoryFileSystem _disk = new();

    [Fact]
    public void A_follower_whose_segment_went_and_the_next_one_learns_that_it_fell_behind() => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync());
        await using WriteAheadLog follower = await OpenAsync();
        await using LogReader reader = follower.OpenReader(Lsn.None);
        await AppendAsync(writer, 3);
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
        }

        await AppendAsync(writer, 120);
        await writer.CheckpointAsync(new Lsn(110), [1]);
        await writer.CheckpointAsync(new Lsn(120), [2]);
        await writer.Log.TrimAsync();
        Assert.True(writer.Log.OldestLsn.Value > 60, $"kept from {writer.Log.OldestLsn} on");
        ReadOutcome outcome = ReadOutcome.EndOfLog;
        for (int look = 0; look < 60 && outcome != ReadOutcome.Trimmed; look++)
        {
            outcome = await reader.ReadAsync(); // Records first: the file that is open still holds them.
        }

        Assert.Equal(ReadOutcome.Trimmed, outcome);
    });

    private static async Task AppendAsync(LogHarness writer, int count)
    {
        for (int i = 0; i < count; i++)
        {
            await writer.AppendAsync(new byte[3500]);
        }
    }

    private ValueTask<WriteAheadLog> OpenAsync()
    {
        LogStoreEnvironment environment = LogScene.Environment(_disk);
        return WriteAheadLog.OpenAsync(ExactStorage.Over(LogStores.Open("memory:", "bank", s_options, environment)), s_options, environment);
    }
}
