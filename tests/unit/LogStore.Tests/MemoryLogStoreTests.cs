using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;

namespace Ambrosia.LogStore.Tests;

public sealed class MemoryLogStoreTests : LogStoreConformance
{
    private readonly MemoryFileSystem _disk = new();

    protected override string Uri => "memory:";

    protected override LogStoreEnvironment NewEnvironment() => new() { Memory = _disk.NewProcess(), Fatal = new RecordingFatal() };
}
