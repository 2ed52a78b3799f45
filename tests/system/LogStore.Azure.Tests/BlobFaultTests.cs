using System.Globalization;
using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Xunit.Abstractions;

namespace Ambrosia.LogStore.Azure.Tests;

/// <summary>Nothing is lost and nothing doubled, whatever happens to single requests (G1, G2).</summary>
[Collection("azurite")]
public sealed class BlobFaultTests(Azurite azurite, ITestOutputHelper output)
{
    // A refusal ends its writer, so the others come more often.
    private static readonly FaultKind[] s_kinds =
        [FaultKind.Refused, FaultKind.Late, FaultKind.LostAnswer, FaultKind.LostAnswer, FaultKind.Busy, FaultKind.Busy, FaultKind.Twice,
            FaultKind.Twice, FaultKind.DoneAndBusy, FaultKind.DoneAndBusy];

    private readonly string _name = $"faults-{Guid.NewGuid():N}";
    private readonly RecordingFatal _fatal = new();

    private static bool Soak => Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1";

    private static int Seed { get; } = int.TryParse(Environment.GetEnvironmentVariable("AMBROSIA_E2E_SEED"), NumberStyles.None,
        CultureInfo.InvariantCulture, out int seed) ? seed : Random.Shared.Next();

    [Fact]
    public async Task What_was_acknowledged_is_there_once_and_in_order_whatever_happens_to_requests()
    {
        int wanted = Soak ? 1000 : 60;
        await using var service = new FaultyService(azurite.BlobPort, Seed, oneIn: 5, s_kinds);
        string uri = azurite.BlobUri(_name, service.Port);
        var acknowledged = new List<int>();
        int next = 0;
        int writers = 0;
        while (service.Count < wanted)
        {
            writers++;
            await TryWriteAsync(uri, acknowledged, () => next++, () => service.Count >= wanted);
        }

        service.BeQuiet();
        await using LogHarness last = await LogHarness.StartAsync(await OpenAsync(azurite.BlobUri(_name)));
        int[] found = [.. (await LogHarness.ReadAllAsync(last.Log, Lsn.None)).Where(static record => record.Body.Length > 4)
            .Select(static record => BitConverter.ToInt32(record.Body))];
        string line = string.Create(CultureInfo.InvariantCulture,
            $"Azurite: {service.Count} faults ({service.Summary}), seed {Seed}: {writers} writers, {acknowledged.Count} records "
            + $"acknowledged, {found.Length} found");
        output.WriteLine(line);
        Ambrosia.EndToEnd.Tests.Driving.Report.Add("LogStore.Azure", line);
        Assert.Equal(found.Order().Distinct(), found); // In order, and none twice.
        Assert.Empty(acknowledged.Except(found));
        Assert.True(acknowledged.Count > wanted / 4, "next to nothing was written");
    }

    [Fact]
    public async Task A_catalog_puts_each_version_once_whatever_happens_to_requests()
    {
        await using var service = new FaultyService(azurite.TablePort, Seed, oneIn: 3, FaultKind.LostAnswer, FaultKind.Busy,
            FaultKind.Twice, FaultKind.DoneAndBusy);
        await using ICatalog catalog = Catalogs.Open(azurite.NewTableUri(service.Port), AzureWorld.Environment());
        string? version = null;
        for (ulong epoch = 1; epoch <= 30; epoch++)
        {
            version = await catalog.PutAsync(new CatalogEntry { Instance = "bank", Epoch = epoch }, version);
            Assert.Equal(epoch.ToString(CultureInfo.InvariantCulture), version);
            Assert.Equal(epoch, (await catalog.GetAsync("bank"))!.Entry.Epoch);
        }

        Assert.True(await catalog.RemoveAsync("bank", version));
        Assert.InRange(service.Count, 10, int.MaxValue);
    }

    [Fact]
    public async Task A_large_record_whose_answers_were_lost_is_there_once()
    {
        await using var service = new FaultyService(azurite.BlobPort, Seed, oneIn: 2, FaultKind.LostAnswer, FaultKind.Twice);
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(azurite.BlobUri(_name, service.Port)));
        byte[] large = new byte[(9 << 20) + 123]; // In three appends.
        new Random(Seed).NextBytes(large);
        int written = 0;
        while (written < 3 || !service.HasLostAppend)
        {
            await writer.AppendAsync(large);
            written++;
        }

        service.BeQuiet();
        List<(Lsn Lsn, byte[] Body)> records = await LogHarness.ReadAllAsync(writer.Log, Lsn.None);
        Assert.Equal(written, records.Count);
        Assert.All(records, record => Assert.True(record.Body.AsSpan(0, large.Length).SequenceEqual(large)));
    }

    /// <summary>Writes until a fault ends it that only a new start can follow, or there is nothing more to do.</summary>
    private async Task TryWriteAsync(string uri, List<int> acknowledged, Func<int> next, Func<bool> isOver)
    {
        LogHarness? writer = null;
        try
        {
            writer = await LogHarness.StartAsync(await OpenAsync(uri));
            for (int i = 0; !isOver(); i++)
            {
                int number = next();
                await writer.AppendAsync([.. BitConverter.GetBytes(number), 0]);
                acknowledged.Add(number);
                if (i % 20 == 19)
                {
                    await writer.CheckpointAsync(writer.Appender.DurableLsn, new byte[5000]);
                }
            }
        }
        catch (Exception error)
            when (error is InvalidOperationException or (LogStoreException and not LogCorruptException) or CheckpointFailedException)
        {
            // Such as a 412 that nobody can tell from a lease that is lost: the process ends, and what it had acknowledged is there.
        }
        finally
        {
            if (writer is not null)
            {
                await EndAsync(writer);
            }

            // If the lease was not given back: as if its time were over.
            await AzureWorld.Container(azurite.BlobUri(_name)).ReleaseAnyAsync("bank/lock");
        }
    }

    private static async Task EndAsync(LogHarness writer)
    {
        try
        {
            await writer.DisposeAsync();
        }
        catch (LogStoreException)
        {
            // It says once more why it ended.
        }
    }

    private ValueTask<WriteAheadLog> OpenAsync(string uri) => LogStores.OpenLogAsync(uri, "bank", new LogStoreOptions
        { SegmentSize = 64 * 1024, PageSize = 4096, Retention = RetentionPolicy.All }, AzureWorld.Environment(_fatal));
}
