using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

/// <summary>A store that refuses what it is asked for, as a service does whose password is just being changed: what may go on goes
/// on.</summary>
public sealed class RefusalTests
{
    private readonly MemoryFileSystem _disk = new();

    [Fact]
    public void A_checkpoint_that_cannot_even_be_removed_fails_and_nobody_waits_for_it() => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogScene.StartAsync(_disk);
        await writer.AppendAsync([1]);
        _disk.Faults = new Refusal(".ckpt.tmp");
        await Assert.ThrowsAsync<CheckpointFailedException>(() => writer.CheckpointAsync(new Lsn(1), new byte[4 << 20]));
        _disk.Faults = null;
        await writer.CheckpointAsync(new Lsn(1), [1]);
    });

    [Fact]
    public void What_could_not_be_tidied_up_is_tidied_up_later() => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogScene.StartAsync(_disk);
        await writer.AppendAsync([1], [2], [3], [4]);
        await writer.CheckpointAsync(new Lsn(1), [1]);
        await writer.CheckpointAsync(new Lsn(2), [1]);
        var refusal = new Refusal("/checkpoints");
        _disk.Faults = refusal;
        writer.Log.LookForCheckpoints();
        await UntilAsync(() => refusal.Hits > 0);
        _disk.Faults = null;
        await writer.CheckpointAsync(new Lsn(3), [1]);
        await writer.CheckpointAsync(new Lsn(4), [1]);
        await UntilAsync(() => writer.Log.Checkpoints.Count == 2);
    });

    private static async Task UntilAsync(Func<bool> condition)
    {
        for (int turn = 0; turn < 1000 && !condition(); turn++)
        {
            await Task.Yield();
        }

        Assert.True(condition());
    }

    /// <summary>Refuses everything that concerns such paths.</summary>
    private sealed class Refusal(string ending) : IFileFaults
    {
        public int Hits { get; private set; }

        public ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            if (!call.Path.EndsWith(ending, StringComparison.Ordinal))
            {
                return default;
            }

            Hits++;
            throw new LogStoreException(StoreErrors.StoreRefuses, "the store refuses", call.Path, "nothing was changed", "wait");
        }
    }
}
