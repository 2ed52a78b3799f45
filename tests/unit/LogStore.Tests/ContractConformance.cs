using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.LogStore.Tests;

/// <summary>What stores that are services owe to contracts.</summary>
public abstract class ContractConformance
{
    private const string First = "Shop.IBank 7 Deposit(System.Int32) -> System.Void\n";
    private const string Second = "Shop.IBank 7 PayIn(System.Int32) -> System.Void\n";
    private const string Others = "Shop.IShop 9 Buy() -> System.Void\n";

    /// <summary>URI of a store that this test has for itself.</summary>
    protected abstract string Uri { get; }

    protected abstract LogStoreEnvironment NewEnvironment();

    [Fact]
    public async Task Contracts_come_back_once_each_its_own_newest_first_then_those_of_the_other_instances()
    {
        await using WriteAheadLog shop = await OpenAsync("shop");
        await using ILogLease shopLease = await shop.AcquireAsync(CancellationToken.None);
        await shop.KeepContractAsync(Others);
        await shop.KeepContractAsync(First);
        await using WriteAheadLog bank = await OpenAsync("bank");
        await using ILogLease bankLease = await bank.AcquireAsync(CancellationToken.None);
        await bank.KeepContractAsync(First);
        await NextSecondAsync();
        await bank.KeepContractAsync(Second);
        await bank.KeepContractAsync(First); // An older app came back: it is there already.
        await using WriteAheadLog view = await LogView.OpenAsync(Uri, "bank", new LogStoreOptions(), NewEnvironment());
        Assert.Equal([Second, First, Others], await view.ReadContractsAsync());
    }

    [Fact]
    public async Task A_store_that_was_never_used_has_no_contracts_and_a_view_writes_none()
    {
        await using WriteAheadLog view = await LogView.OpenAsync(Uri, "bank", new LogStoreOptions(), NewEnvironment());
        Assert.Empty(await view.ReadContractsAsync());
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await view.KeepContractAsync(First));
    }

    // Services may tell in whole seconds when a file was made.
    private static async Task NextSecondAsync()
    {
        for (long second = Now(); Now() == second;)
        {
            await Task.Delay(50);
        }

        static long Now() => DateTimeOffset.UtcNow.ToUnixTimeSeconds();
    }

    private ValueTask<WriteAheadLog> OpenAsync(string instance) =>
        LogStores.OpenLogAsync(Uri, instance, new LogStoreOptions(), NewEnvironment());
}
