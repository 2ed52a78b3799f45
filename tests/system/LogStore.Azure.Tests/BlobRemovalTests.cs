using System.Globalization;
using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Azure.Tests;

/// <summary>
/// A process that is stopped at any request of a removal, superseded, and then goes on: it removes nothing that its successor
/// found (G1, G7).
/// </summary>
[Collection("azurite leases")]
public sealed class BlobRemovalTests(Azurite azurite)
{
    private const int Records = 3;
    private static readonly Lsn s_last = new(Records);
    private readonly string _uri = azurite.NewBlobUri();

    [Fact]
    public Task A_superseded_process_deletes_no_segment_at_whatever_request_it_was_stopped() => StopEverywhereAsync(
        "segment",
        static _ => Task.CompletedTask,
        static storage => storage.DeleteSegmentAsync(1).AsTask(),
        static async (next, _) =>
        {
            Assert.Equal([1UL, 2, 3, 4], await next.Log.Storage.ListSegmentsAsync());
            Assert.Equal(Records, (await LogHarness.ReadAllAsync(next.Log, Lsn.None)).Count);
        },
        static async next =>
        {
            await next.Log.Storage.DeleteSegmentAsync(1);
            Assert.Equal([2UL, 3, 4], await next.Log.Storage.ListSegmentsAsync());
        });

    [Fact]
    public Task A_superseded_process_deletes_no_checkpoint_at_whatever_request_it_was_stopped() => StopEverywhereAsync(
        "checkpoint",
        static async old => await MakeCheckpointAsync(old.Log.Storage, 1),
        static storage => storage.DeleteCheckpointAsync(s_last).AsTask(),
        static async (next, _) => Assert.Equal(1, await ReadCheckpointAsync(next.Log.Storage)),
        static async next =>
        {
            await next.Log.Storage.DeleteCheckpointAsync(s_last);
            Assert.Empty(await next.Log.Storage.ListCheckpointsAsync());
        });

    [Fact]
    public Task A_superseded_process_that_commits_a_checkpoint_leaves_its_successors_of_the_same_record() => StopEverywhereAsync(
        "commit",
        static async old => await MakeCheckpointAsync(old.Log.Storage, 1),
        static storage => MakeCheckpointAsync(storage, 2),
        static async (next, isFirst) =>
        {
            if (isFirst)
            {
                await MakeCheckpointAsync(next.Log.Storage, 3);
            }

            Assert.Equal(3, await ReadCheckpointAsync(next.Log.Storage));
        },
        static async next => Assert.Equal([s_last], await next.Log.Storage.ListCheckpointsAsync()),
        mayBeDone: true);

    [Fact] // A backup may have made the snapshot: the service refuses it again and again.
    public async Task A_blob_that_the_service_keeps_is_an_error_and_no_loop()
    {
        await using LogHarness writer = await StartAsync("kept", azurite.BlobPort);
        await writer.AppendAsync([1], [2], [3]);
        BlobContainer container = AzureWorld.Container(_uri);
        await container.AppendBlob((await container.ListAsync("kept/log/"))[0].Name).CreateSnapshotAsync();

        LogStoreException refused = await Assert.ThrowsAnyAsync<LogStoreException>(
            () => writer.Log.Storage.DeleteSegmentAsync(1).AsTask().WaitAsync(Patience.Time));

        Assert.Contains("SnapshotsPresent", refused.Message, StringComparison.Ordinal);
        Assert.Contains(1UL, await writer.Log.Storage.ListSegmentsAsync());
    }

    /// <summary>One run for each request of what is done: stopped there, superseded, and let go on.</summary>
    /// <param name="name">Begins the instances' names.</param>
    /// <param name="prepare">What is done before.</param>
    /// <param name="act">What is stopped.</param>
    /// <param name="judge">What the successor must find, before the superseded process goes on (true) and after (false).</param>
    /// <param name="end">What the successor does in the end.</param>
    /// <param name="mayBeDone">Whether the last requests only tidy up: what was done before counts.</param>
    private async Task StopEverywhereAsync(
        string name, Func<LogHarness, Task> prepare, Func<ILogStorage, Task> act, Func<LogHarness, bool, Task> judge,
        Func<LogHarness, Task> end, bool mayBeDone = false)
    {
        await using var service = new SteppedService(azurite.BlobPort);
        int refused = 0;
        for (int at = 1; ; at++)
        {
            string instance = string.Create(CultureInfo.InvariantCulture, $"{name}{at}");
            LogHarness old = await StartAsync(instance, service.Port);
            await old.AppendAsync([1], [2], [3]);
            await prepare(old);
            service.StopAt(at);
            Task acting = act(old.Log.Storage);
            await Task.WhenAny(acting, service.Stopped);
            if (!service.Stopped.IsCompleted)
            {
                await acting;
                service.StopAt(int.MaxValue);
                await old.DisposeAsync();
                Assert.InRange(refused, 3, at - 1);
                return;
            }

            await AzureWorld.Container(_uri).ReleaseAnyAsync($"{instance}/lock"); // As if its time were over.
            await using LogHarness next = await StartAsync(instance, azurite.BlobPort);
            await judge(next, true);
            service.GoOn();
            Exception? error = await Record.ExceptionAsync(() => acting);
            await judge(next, false);
            Assert.True(error is LogStoreException || (mayBeDone && error is null), $"stopped at {at}: {service.Seen[at - 1]}: {error}");
            refused += error is null ? 0 : 1;
            await EndAsync(old);
            await end(next);
        }
    }

    private static async Task MakeCheckpointAsync(ILogStorage storage, byte content)
    {
        await using (IStoredFile file = await storage.CreateCheckpointAsync(s_last))
        {
            await file.AppendAsync(new[] { content }, 0);
            await file.SyncAsync();
        }

        await storage.CommitCheckpointAsync(s_last);
    }

    private static async Task<int> ReadCheckpointAsync(ILogStorage storage)
    {
        await using IStoredFile? found = await storage.OpenCheckpointAsync(s_last);
        byte[] content = new byte[1];
        return found is not null && await found.ReadAsync(content, 0) == 1 ? content[0] : -1;
    }

    private static async Task EndAsync(LogHarness superseded)
    {
        try
        {
            await superseded.DisposeAsync();
        }
        catch (LogStoreException)
        {
            // It says once more why it ended.
        }
    }

    // One segment for each record.
    private async Task<LogHarness> StartAsync(string instance, int port) => await LogHarness.StartAsync(await LogStores.OpenLogAsync(
        _uri.Replace($":{azurite.BlobPort}/", $":{port}/", StringComparison.Ordinal), instance,
        new LogStoreOptions { Retention = RetentionPolicy.All },
        AzureWorld.Environment(stores: [new AzureBlobStores(AzureWorld.WithKey) { MostAppends = 2 }])));
}
