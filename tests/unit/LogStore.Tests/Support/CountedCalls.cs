using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;

namespace Ambrosia.LogStore.Tests.Support;

/// <summary>Counts the calls of one kind on files whose paths contain a part; nothing fails.</summary>
internal sealed class CountedCalls(FileCallKind kind, string pathPart) : IFileFaults
{
    public int Hits { get; private set; }

    public ValueTask<FileFault> BeforeAsync(FileCall call)
    {
        Hits += call.Kind == kind && call.Path.Contains(pathPart, StringComparison.Ordinal) ? 1 : 0;
        return new(FileFault.None);
    }
}
