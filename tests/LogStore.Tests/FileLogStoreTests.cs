using Ambrosia.LogStore.Tests.Support;

namespace Ambrosia.LogStore.Tests;

public sealed class FileLogStoreTests : LogStoreConformance, IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-log-").FullName;

    protected override string Uri => "file:" + _folder;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    protected override LogStoreEnvironment NewEnvironment() => new() { Fatal = new RecordingFatal() };
}
