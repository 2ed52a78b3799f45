using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;

namespace Ambrosia.LogStore.Tests.Support;

/// <summary>Every call of one kind on files whose paths contain a part fails, a third of it done.</summary>
internal sealed class FailAlways(FileCallKind kind, Errno errno, string pathPart, int times = int.MaxValue) : IFileFaults
{
    public int Hits { get; private set; }

    public ValueTask<FileFault> BeforeAsync(FileCall call)
    {
        bool hit = call.Kind == kind && call.Path.Contains(pathPart, StringComparison.Ordinal) && Hits < times;
        Hits += hit ? 1 : 0;
        return new(hit ? new FileFault(errno, call.Length / 3) : FileFault.None);
    }
}
