using System.Runtime.CompilerServices;

namespace Ambrosia.Testing;

/// <summary>
/// A call that a test has made. It is on its way, but the world moves only while the test awaits something of it: awaiting the call lets
/// the world run until the answer is there.
/// </summary>
/// <typeparam name="T">What is answered.</typeparam>
public sealed class TestCall<T>
{
    private readonly ImmortalTestHost _world;
    private readonly string _text;
    private readonly Task<T> _answer;

    internal TestCall(ImmortalTestHost world, string text, Task<T> answer)
    {
        _world = world;
        _text = text;
        _answer = answer;
    }

    /// <summary>True once the answer, or the exception, is there.</summary>
    public bool IsCompleted => _answer.IsCompleted;

    /// <summary>Lets the world run until the call is answered.</summary>
    /// <exception cref="ImmortalTestException">No answer within <see cref="ImmortalTestOptions.Patience"/>.</exception>
    public async Task<T> AsTask()
    {
        await _world.RunUntilAsync(() => _answer.IsCompleted, _text);
        return await _answer;
    }

    /// <summary>Makes the call awaitable.</summary>
    public TaskAwaiter<T> GetAwaiter() => AsTask().GetAwaiter();
}
