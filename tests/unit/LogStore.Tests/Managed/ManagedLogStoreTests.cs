using Ambrosia.LogStore.Files.Managed;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;

namespace Ambrosia.LogStore.Tests.Managed;

/// <summary>A log in files that are read and written without a call of Linux.</summary>
public sealed class ManagedLogStoreTests : LogStoreConformance, IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-managed-").FullName;

    protected override string Uri => "file:" + _folder;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    protected override LogStoreEnvironment NewEnvironment() => new() { Fatal = new RecordingFatal(), Files = new ManagedFileSystem() };
}
