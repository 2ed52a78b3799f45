using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests;

namespace Ambrosia.LogStore.Azure.Tests;

[Collection("azurite")]
public sealed class BlobLogStoreTests(Azurite azurite) : LogStoreConformance
{
    protected override string Uri { get; } = azurite.NewBlobUri();

    protected override LogStoreEnvironment NewEnvironment() => AzureWorld.Environment();
}
