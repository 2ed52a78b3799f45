using System.Globalization;
using System.Text;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests.Catalog;

public sealed class MemoryCatalogTests : CatalogConformance
{
    private readonly MemoryFileSystem _disk = new();

    protected override ICatalog Open() => Catalogs.Open("memory:", new LogStoreEnvironment { Memory = _disk.NewProcess() });

    [Fact]
    public async Task Every_flipped_bit_of_an_entry_is_noticed_and_the_next_put_heals_it()
    {
        await using ICatalog catalog = Open();
        string? version = await catalog.PutAsync(Entry("bank"), null);
        long length = (await _disk.StatAsync("/.catalog/bank.json"))!.Value.Length;
        for (long offset = 0; offset < length - 1; offset++)
        {
            _disk.FlipBits("/.catalog/bank.json", offset, 0x01);
            var damaged = await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.GetAsync("bank"));
            Assert.Equal("IC-2050", damaged.Code);
            Assert.Contains("bank.json", damaged.Message, StringComparison.Ordinal);
            _disk.FlipBits("/.catalog/bank.json", offset, 0x01);
        }

        Assert.Equal(version, (await catalog.GetAsync("bank"))!.Version);
        await catalog.PutAsync(Entry("zoo"), null);
        _disk.FlipBits("/.catalog/bank.json", 30, 0x01);
        await Assert.ThrowsAsync<LogStoreException>(async () => await catalog.ListAsync());
        var hidden = new List<LogStoreException>();
        Assert.Equal(["zoo"], (await catalog.ListAsync(hidden)).Select(static row => row.Entry.Instance));
        Assert.Equal("IC-2050", Assert.Single(hidden).Code);
        Assert.NotNull(await catalog.PutAsync(Entry("bank"), null));
        Assert.NotNull(await catalog.GetAsync("bank"));
    }

    [Fact] // As builds wrote it that knew nothing of calls from outside.
    public void An_entry_that_says_nothing_of_calls_from_outside_is_read_as_one_that_takes_none()
    {
        string now = Encoding.UTF8.GetString(CatalogFile.Encode(Entry("bank"), 7));
        string row = now[(now.IndexOf("\"row\":", StringComparison.Ordinal) + 6)..now.LastIndexOf('}')]
            .Replace("\"ingressAddress\":\"http://10.0.0.1:8080\",", "", StringComparison.Ordinal);
        Assert.DoesNotContain("ingress", row, StringComparison.Ordinal);
        string old = string.Create(
            CultureInfo.InvariantCulture, $"{{\"crc32c\":\"{Crc32C.Compute(Encoding.UTF8.GetBytes(row)):x8}\",\"row\":{row}}}\n");
        (CatalogEntry entry, ulong version) = CatalogFile.TryDecode(Encoding.UTF8.GetBytes(old), "bank")!.Value;
        Assert.Equal(("", "10.0.0.1:4100", 7ul), (entry.IngressAddress, entry.PeerAddress, version));
    }

    [Fact]
    public async Task A_power_cut_leaves_the_old_entry_or_the_new_one()
    {
        for (int seed = 0; seed < 200; seed++)
        {
            var disk = new MemoryFileSystem();
            await using ICatalog catalog = Catalogs.Open("memory:", new LogStoreEnvironment { Memory = disk.NewProcess() });
            string? version = await catalog.PutAsync(Entry("bank", "old"), null);
            int calls = seed % 20;
            disk.Faults = new StopAfter(calls);
            bool stopped = false;
            try
            {
                await catalog.PutAsync(Entry("bank", "new"), version);
            }
            catch (Ambrosia.LogStore.Files.FileFailedException)
            {
                stopped = true;
            }

            disk.Faults = null;
            disk.Crash(new Random(seed));
            await using ICatalog after = Catalogs.Open("memory:", new LogStoreEnvironment { Memory = disk.NewProcess() });
            string address = (await after.GetAsync("bank"))!.Entry.PeerAddress;
            Assert.True(address == "new" || (stopped && address == "old"), $"seed {seed}: {address}");
        }
    }

    private sealed class StopAfter(int calls) : IFileFaults
    {
        private int _left = calls;

        public ValueTask<FileFault> BeforeAsync(FileCall call) =>
            new(_left-- > 0 ? FileFault.None : new FileFault(Ambrosia.LogStore.Files.Errno.EIO));
    }
}

public sealed class FileCatalogTests : CatalogConformance, IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-catalog-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    protected override ICatalog Open() => Catalogs.Open("file:" + _folder, new LogStoreEnvironment());
}
