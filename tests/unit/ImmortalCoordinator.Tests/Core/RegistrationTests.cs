using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Links;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Errors;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>
/// Peers dial whom the catalog names, and a primary tells it once. One that was stopped before it did must not put itself in its
/// successor's place when it goes on: nobody would ever reach that one again.
/// </summary>
public sealed class RegistrationTests
{
    private const string Own = "pipe:own";
    private const string Ingress = "http://10.0.0.1:8080";
    private const string Successor = "pipe:successor";

    [Theory]
    [InlineData(true)]
    [InlineData(false)] // Erased, and made again under its name.
    public async Task Who_cannot_prove_its_lease_leaves_the_entry_of_a_successor_alone(bool sameIdentity)
    {
        (string address, CoordinatorException? end) = await RegisterAsync(static _ => new LostLease(), sameIdentity);
        Assert.Equal(Successor, address);
        Assert.Equal("IC-3001", end?.Code);
    }

    [Theory] // A copy of a log was brought back, or somebody has left an entry there.
    [InlineData(true)]
    [InlineData(false)]
    public async Task Who_holds_its_lease_takes_the_place_of_any_entry(bool sameIdentity)
    {
        (string address, CoordinatorException? end) = await RegisterAsync(static held => held, sameIdentity);
        Assert.Equal(Own, address);
        Assert.Null(end);
    }

    [Fact] // Nobody would find the instance until a person has removed the entry.
    public async Task An_entry_that_is_damaged_is_written_again_by_who_can_prove_its_lease()
    {
        Assert.Equal((Own, null), await RegisterAsync(static held => held, sameIdentity: true, isDamaged: true));
        (string address, CoordinatorException? end) = await RegisterAsync(static _ => new LostLease(), sameIdentity: true, isDamaged: true);
        Assert.Equal("IC-2050", address[..7]);
        Assert.Equal("IC-3001", end?.Code);
    }

    // A primary finds the entry of a later epoch, or of another identity, when it comes to write its own.
    private static async Task<(string Address, CoordinatorException? End)> RegisterAsync(
        Func<ILogLease, ILogLease> lease, bool sameIdentity, bool isDamaged = false)
    {
        var disk = new MemoryFileSystem();
        var environment = new LogStoreEnvironment { Memory = disk };
        var options = new LogStoreOptions { Cluster = "default", SegmentSize = 1 << 20, PageSize = 64 * 1024 };
        ILogStorage storage = LogStores.Open("memory:", "bank", options, environment);
        await using WriteAheadLog log = await WriteAheadLog.OpenAsync(storage, options, environment);
        await using ILogLease held = (await log.TryAcquireAsync())!;
        await log.BecomeWriterAsync(held);
        ICatalog catalog = Catalogs.Open("memory:catalog", environment);
        var successor = new CatalogEntry
        {
            Instance = "bank",
            PeerAddress = Successor,
            Epoch = log.Epoch.Value + 1,
            InstanceId = sameIdentity ? log.InstanceId.ToString() : "eeeeeeee000000000000000000000001",
        };
        Assert.NotNull(await catalog.PutAsync(successor, null));
        if (isDamaged)
        {
            disk.FlipBits("/catalog/.catalog/bank.json", 30, 0x01);
        }

        var registration = new Registration(catalog, log, lease(held), Own, Ingress, replica: null, NullLogger.Instance);
        CoordinatorException? end = null;
        try
        {
            Assert.True(await registration.TryAsync());
        }
        catch (CoordinatorException fenced)
        {
            end = fenced;
        }

        try
        {
            CatalogEntry entry = (await catalog.GetAsync("bank"))!.Entry;
            Assert.Equal(entry.PeerAddress == Own ? Ingress : "", entry.IngressAddress); // With the primary it changes, too.
            return (entry.PeerAddress, end);
        }
        catch (LogStoreException damaged)
        {
            return (damaged.Message, end);
        }
    }

    /// <summary>A lease that was over while its holder was stopped.</summary>
    private sealed class LostLease : ILogLease
    {
        public string Holder => "the one that was stopped";

        public CancellationToken Lost => CancellationToken.None;

        public ValueTask VerifyAsync() =>
            throw new LeaseLostException(LeadershipErrors.LeaseNotProved, "the lease could not be renewed within 27 s", "/bank");

        public ValueTask DisposeAsync() => default;
    }
}
