using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Memory;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>
/// Peers dial whom the catalog names, and a primary tells it once. One that was stopped before it did must not put itself in its successor's
/// place when it goes on: nobody would ever reach that one again.
/// </summary>
public sealed class RegistrationTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)] // Erased, and made again under its name.
    public async Task Who_has_lost_its_lease_before_it_could_tell_the_catalog_leaves_its_successors_entry_alone(bool sameIdentity)
    {
        var disk = new HeldDisk();
        var memory = (MemoryFileSystem)disk.Environment.Memory;
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment, catalog: catalog => new OvertakingCatalog(
            catalog, entry => Successor(entry, sameIdentity))
        {
            Meanwhile = async () => await memory.NewProcess().DeleteAsync(
                memory.AllFiles().Single(static path => path.EndsWith("/lock", StringComparison.Ordinal))),
        });
        await using ScriptedApp app = await core.ConnectAppAsync();
        await Task.WhenAny(app.BecomePrimaryAsync(), core.Running);
        CoordinatorException end = await Assert.ThrowsAsync<CoordinatorException>(() => core.Running.OrFail());
        Assert.Equal("IC-3001", end.Code);
        Assert.Equal("pipe:successor", (await core.Catalog.GetAsync("bank"))!.Entry.PeerAddress);
    }

    [Theory] // A copy of a log that was brought back, or an entry that somebody has left there.
    [InlineData(true)]
    [InlineData(false)]
    public async Task Who_holds_its_lease_takes_the_place_of_any_entry(bool sameIdentity)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(
            catalog: catalog => new OvertakingCatalog(catalog, entry => Successor(entry, sameIdentity)));
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await Within.Until(() => Address(core) == CoreUnderTest.PeerAddress.ToString());
        Assert.False(core.Running.IsCompleted);
    }

    private static CatalogEntry Successor(CatalogEntry entry, bool sameIdentity) => entry with
    {
        PeerAddress = "pipe:successor",
        Epoch = entry.Epoch + 1,
        InstanceId = sameIdentity ? entry.InstanceId : "eeeeeeee000000000000000000000001",
    };

    private static string? Address(CoreUnderTest core) => core.Catalog.GetAsync("bank").AsTask().GetAwaiter().GetResult()?.Entry.PeerAddress;
}
