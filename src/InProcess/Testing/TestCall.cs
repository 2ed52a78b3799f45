using System.Runtime.CompilerServices;

namespace Ambrosia.Testing;

/// <summary>As <see cref="TestCall{T}"/>, for what has no result.</summary>
public sealed class TestCall
{
    private readonly ImmortalTestHost _world;
    private readonly string _text;
    private readonly Task _done;

    internal TestCall(ImmortalTestHost world, string text, Task done)
    {
        _world = world;
        _text = text;
        _done = done;
    }

    /// <summary>True once it is done, or has failed.</summary>
    public bool IsCompleted => _done.IsCompleted;

    /// <summary>Lets the world run until it is done.</summary>
    /// <exception cref="ImmortalTestException">It is not within <see cref="ImmortalTestOptions.Patience"/>.</exception>
    public async Task AsTask()
    {
        await _world.RunUntilAsync(() => _done.IsCompleted, _text);
        await _done;
    }

    /// <summary>Makes the call awaitable.</summary>
    public TaskAwaiter GetAwaiter() => AsTask().GetAwaiter();
}
