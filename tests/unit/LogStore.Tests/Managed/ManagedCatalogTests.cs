using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Managed;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Catalog;

namespace Ambrosia.LogStore.Tests.Managed;

public sealed class ManagedCatalogTests : CatalogConformance, IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-managed-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    protected override ICatalog Open() => Catalogs.Open("file:" + _folder, new LogStoreEnvironment { Files = new ManagedFileSystem() });
}
