using Ambrosia.LogStore;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.Testing.Virtual;

/// <summary>A process of the test's world: its threads, its clock, its view of the disk. Killed, nothing of it runs any more.</summary>
internal sealed class VirtualProcess : ILoopRunner, IFatal, IEntropy
{
    private readonly VirtualLoop _loop;
    private readonly List<VirtualContext> _parked = [];

    public VirtualProcess(VirtualLoop loop, MemoryFileSystem? disk)
    {
        _loop = loop;
        Time = new VirtualTime(loop, this);
        Files = disk?.NewProcess();
    }

    public bool Alive { get; private set; } = true;

    /// <summary>Stopped as by SIGSTOP: it keeps everything and does nothing.</summary>
    public bool Paused { get; private set; }

    public VirtualTime Time { get; }

    public MemoryProcess? Files { get; }

    /// <summary>What else notices the end of the process.</summary>
    public Action? Killed { get; set; }

    /// <summary>Why the process ended itself; null if it did not.</summary>
    public string? LastWords { get; private set; }

    /// <summary>Exit code that goes with <see cref="LastWords"/>.</summary>
    public int ExitCode { get; private set; }

    public void Kill()
    {
        if (Alive)
        {
            Alive = false;
            Files?.Kill();
            Killed?.Invoke();
        }
    }

    public void Pause() => Paused = true;

    public void Resume()
    {
        Paused = false;
        _parked.ForEach(_loop.Enqueue);
        _parked.Clear();
    }

    /// <summary>Puts a thread aside while its process is paused; false if it is not.</summary>
    public bool TryPark(VirtualContext context)
    {
        if (Paused)
        {
            _parked.Add(context);
        }

        return Paused;
    }

    /// <summary>Runs something on a thread of this process.</summary>
    public void Post(Action action) => new VirtualContext(_loop, this).Post(static state => ((Action)state!)(), action);

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
        if (LastWords is null)
        {
            LastWords = line;
            ExitCode = exitCode;
        }

        Kill();
    }

    public void Fill(Span<byte> destination) => _loop.Random.NextBytes(destination);
}
