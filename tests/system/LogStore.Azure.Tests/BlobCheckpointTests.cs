using Ambrosia.LogStore.Azure.Tests.Support;
using Azure.Storage.Blobs.Models;

namespace Ambrosia.LogStore.Azure.Tests;

/// <summary>A checkpoint counts from the moment in which words about its blob say so: no late or repeated request may take them
/// away.</summary>
[Collection("azurite")]
public sealed class BlobCheckpointTests(Azurite azurite)
{
    private readonly BlobContainer _container = AzureWorld.Container(azurite.NewBlobUri());

    [Fact]
    public async Task A_commit_that_comes_twice_does_not_take_away_that_it_counts()
    {
        BlobCheckpoint checkpoint = await MakeAsync("bank/checkpoints/1.A");
        await CompleteAsync(checkpoint.Name);
        await checkpoint.SyncAsync(); // The same request once more; its sender takes the answer for that of the first.
        Assert.True(BlobCheckpoint.IsComplete((await _container.LookAsync(checkpoint.Name))!.Metadata));
    }

    [Fact]
    public async Task One_that_became_complete_since_it_was_listed_is_not_removed_as_unfinished()
    {
        BlobCheckpoint checkpoint = await MakeAsync("bank/checkpoints/1.A");
        BlobItem listed = Assert.Single(await _container.ListAsync("bank/checkpoints/"));
        await CompleteAsync(checkpoint.Name);
        await _container.RemoveUnchangedAsync(listed);
        Assert.NotNull(await _container.LookAsync(checkpoint.Name));
        await _container.RemoveUnchangedAsync(Assert.Single(await _container.ListAsync("bank/checkpoints/")));
        Assert.Null(await _container.LookAsync(checkpoint.Name));
        await _container.RemoveUnchangedAsync(listed); // Gone is as good as removed.
    }

    [Fact]
    public async Task What_replaces_takes_the_place_of_what_was_there()
    {
        await MakeAsync("bank/tail", length: 3);
        await MakeAsync("bank/tail", length: 5, replaces: true);
        Assert.Equal(5, (await _container.LookAsync("bank/tail"))!.ContentLength);
    }

    private async Task<BlobCheckpoint> MakeAsync(string name, int length = 3, bool replaces = false)
    {
        await _container.PrepareAsync();
        var checkpoint = new BlobCheckpoint(_container, name, name, replaces);
        await checkpoint.AppendAsync(new byte[length], 0);
        await checkpoint.SyncAsync();
        return checkpoint;
    }

    private async Task CompleteAsync(string name) =>
        Assert.NotNull(await _container.NoteAsync(name, BlobCheckpoint.CompleteWords, new BlobRequestConditions()));
}
