using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Stores;
using Ambrosia.Services;

namespace Ambrosia.LogStore.Azure.Tests;

[Collection("azurite leases")]
public sealed class BlobLostLockTests(Azurite azurite) : LostLockTests
{
    protected override string Uri { get; } = azurite.NewBlobUri();

    protected override LogStoreEnvironment NewEnvironment() => AzureWorld.Environment();

    protected override async Task ExpireAsync(string sideLock) =>
        Assert.True(await AzureWorld.Container(Uri).ReleaseAnyAsync($"bank/locks/{sideLock}"));
}
