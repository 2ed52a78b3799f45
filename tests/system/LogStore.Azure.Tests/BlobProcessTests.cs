using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.Services;
using Xunit.Abstractions;

namespace Ambrosia.LogStore.Azure.Tests;

/// <summary>Logs in blobs, and the catalog is a table.</summary>
[Collection("azurite processes")]
public sealed class BlobProcessTests(Azurite azurite, ITestOutputHelper output) : ServiceProcessTests(output)
{
    private static readonly TimeSpan s_shortestLease = TimeSpan.FromSeconds(15);

    protected override string Title => "Azurite";

    protected override string ReportName => "LogStore.Azure";

    protected override string Secret => Azurite.Key;

    protected override int Kills => KillsOf(8);

    protected override (string Name, string Value) Login => ("AZURE_STORAGE_KEY", Azurite.Key);

    private protected override NodeSettings NodeOf(string place, TimeSpan lease) => NodeSettings.Small with
    {
        CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--lease-duration",
            string.Create(CultureInfo.InvariantCulture, $"{(lease < s_shortestLease ? s_shortestLease : lease).TotalSeconds:0}s")],
        CoordinatorEnvironment = [Login],
        Store = azurite.BlobUri(place),
        Catalog = azurite.TableUri(place),
    };

    private protected override async Task<string> OldSegmentsAsync(string place, string prefix)
    {
        var items = await AzureWorld.Container(azurite.BlobUri(place)).ListAsync(prefix);
        return string.Join('\n', items.Where(static item => item.Name.EndsWith(".seg", StringComparison.Ordinal))
            .GroupBy(static item => item.Name.Split('/')[0])
            .SelectMany(static group => group.OrderBy(static item => item.Name, StringComparer.Ordinal).SkipLast(1))
            .Select(static item => string.Create(CultureInfo.InvariantCulture, $"{item.Name}:{item.Properties.ContentLength}")));
    }
}
