using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;

namespace Ambrosia.LogStore.Tests.Support;

/// <summary>The first call of one kind on a file whose path contains a part takes so long that all others of a <see cref="SingleThread"/>
/// come to rest meanwhile; nothing fails.</summary>
internal sealed class SlowCall(FileCallKind kind, string pathPart) : IFileFaults
{
    private const int Turns = 10_000;
    private readonly TaskCompletionSource _begun = new();

    /// <summary>Completes when it has begun.</summary>
    public Task Begun => _begun.Task;

    public async ValueTask<FileFault> BeforeAsync(FileCall call)
    {
        if (call.Kind == kind && call.Path.Contains(pathPart, StringComparison.Ordinal) && _begun.TrySetResult())
        {
            for (int i = 0; i < Turns; i++)
            {
                await Task.Yield();
            }
        }

        return FileFault.None;
    }
}
