using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Catalog;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>A wrong <c>--store</c> begins a second life under a name that another log has: that must not pass without a word.</summary>
public sealed class OtherLogTests
{
    [Fact]
    public async Task A_start_on_another_log_than_the_catalog_names_says_so()
    {
        string other = new('a', 32);
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(catalog: present => Naming(present, other));
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        string said = $"IC-3016 bank had another log until now, with id {other}";
        await Within.Until(() => core.Lines.All.Any(line => line.Contains(said, StringComparison.Ordinal)));
    }

    [Fact]
    public async Task A_first_start_under_a_new_name_has_nothing_to_say()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await Within.Until(() => core.Catalog.GetAsync("bank").AsTask() is { IsCompletedSuccessfully: true, Result: not null });
        Assert.DoesNotContain(core.Lines.All, static line => line.Contains("IC-3016", StringComparison.Ordinal));
    }

    private static ICatalog Naming(ICatalog catalog, string id)
    {
        var entry = new CatalogEntry { Instance = "bank", InstanceId = id, Epoch = 3, Generation = 1 };
        Assert.True(catalog.PutAsync(entry, null).AsTask().Wait(10_000));
        return catalog;
    }
}
