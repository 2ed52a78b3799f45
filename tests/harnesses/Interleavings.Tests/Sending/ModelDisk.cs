using Ambrosia.LogStore.Files.Memory;

namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>Scratch files on a disk that answers when the schedule says so.</summary>
internal sealed class ModelDisk : IFileFaults
{
    private readonly Queue<TaskCompletionSource<FileFault>> _asked = new();

    public ModelDisk() => Files = new MemoryFileSystem { Faults = this };

    public MemoryFileSystem Files { get; }

    public bool IsAsked => _asked.Count > 0;

    /// <summary>Answers at once, for what is no part of a schedule.</summary>
    public bool Willing { get; set; }

    public ValueTask<FileFault> BeforeAsync(FileCall call)
    {
        if (Willing || call.Kind is not (FileCallKind.Read or FileCallKind.Write))
        {
            return default;
        }

        var answer = new TaskCompletionSource<FileFault>(TaskCreationOptions.RunContinuationsAsynchronously);
        _asked.Enqueue(answer);
        return new ValueTask<FileFault>(answer.Task);
    }

    public void Answer() => _asked.Dequeue().SetResult(FileFault.None);

    public void Forget() => _asked.Clear();
}
