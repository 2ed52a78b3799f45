using Ambrosia.LogStore;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Loops;

namespace Ambrosia.Testing.Virtual;

/// <summary>A process of the test's world: its threads, its clock, its view of the disk. Killed, nothing of it runs any more.</summary>
internal sealed class VirtualProcess : ILoopRunner, IFatal, IEntropy
{
    private readonly VirtualLoop _loop;

    public VirtualProcess(VirtualLoop loop, MemoryFileSystem? disk)
    {
        _loop = loop;
        Time = new VirtualTime(loop, this);
        Files = disk?.NewProcess();
    }

    public bool Alive { get; private set; } = true;

    public VirtualTime Time { get; }

    public MemoryProcess? Files { get; }

    /// <summary>Why the process ended itself; null if it did not.</summary>
    public string? LastWords { get; private set; }

    public void Kill()
    {
        Alive = false;
        Files?.Kill();
    }

    public Task Start(string name, Func<Task> loop)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        new VirtualContext(_loop, this).Post(async _ =>
        {
            try
            {
                await loop();
                ended.TrySetResult();
            }
            catch (Exception error) when (error is not OutOfMemoryException)
            {
                ended.TrySetException(error);
            }
        }, null);
        return ended.Task;
    }

    public void Die(int exitCode, string line)
    {
        LastWords ??= line;
        Kill();
    }

    public void Fill(Span<byte> destination) => _loop.Random.NextBytes(destination);
}
