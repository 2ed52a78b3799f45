using Ambrosia.LogStore;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Loops;

namespace Ambrosia.Simulation.Tests;

/// <summary>A simulated process: its threads, its clock, its view of the disk. Killed, nothing of it runs any more.</summary>
internal sealed class SimProcess : ILoopRunner, IFatal, IEntropy
{
    private readonly SimLoop _loop;

    public SimProcess(SimLoop loop, MemoryFileSystem? disk)
    {
        _loop = loop;
        Time = new SimTime(loop, this);
        Files = disk?.NewProcess();
    }

    public bool Alive { get; private set; } = true;

    public SimTime Time { get; }

    public MemoryProcess? Files { get; }

    /// <summary>What else notices the end of the process.</summary>
    public Action? Killed { get; set; }

    /// <summary>Why the process ended itself; null if it did not.</summary>
    public string? LastWords { get; private set; }

    public void Kill()
    {
        Alive = false;
        Files?.Kill();
        Killed?.Invoke();
    }

    public Task Start(string name, Func<Task> loop)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var context = new SimContext(_loop, this);
        context.Post(async _ =>
        {
            try
            {
                await loop();
                ended.TrySetResult();
            }
            catch (Exception error)
            {
                ended.TrySetException(error);
            }
        }, null);
        return ended.Task;
    }

    public void Die(int exitCode, string line)
    {
        LastWords ??= $"{exitCode}: {line}";
        Kill();
    }

    public void Fill(Span<byte> destination) => _loop.Random.NextBytes(destination);
}
