using System.ComponentModel;
using System.Runtime.ExceptionServices;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>
/// The continuations of one immortal that are ready to run, first in, first out. Its dispatcher drains it after every message,
/// so it is empty at every checkpoint and never saved.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class Turn
{
    [ThreadStatic]
    private static Turn? t_current;

    private Ready[] _ready = new Ready[64];
    private int _head;
    private int _count;
    private Exception? _end;
    private List<CallRecorder>? _recorders;

    /// <summary>Where durable delays and time-outs are armed; null refuses them.</summary>
    public IDurableTimers? Timers { get; init; }

    /// <summary>The immortal's own context object, for the runtime; never saved.</summary>
    public object? Owner { get; init; }

    /// <summary>What reads values of types that MessagePack-CSharp knows.</summary>
    internal MessagePackLibrary Library { get; init; } = MessagePackLibrary.Default;

    /// <summary>The turn that this thread runs, or null outside of any.</summary>
    public static Turn? Current => t_current;

    /// <summary>True when no continuation is waiting to run.</summary>
    public bool IsIdle => _count == 0;

    /// <summary>
    /// True for what stands in a turn's place while a query is answered: nothing may be completed, resumed or waited for.
    /// </summary>
    internal bool IsQuery { get; init; }

    internal static Turn Required => t_current is { IsQuery: false } turn ? turn : throw new InvalidOperationException(
        t_current is null
            ? "A durable task may only be completed or resumed inside its immortal's turn; from another thread, send the immortal an "
            + "impulse instead."
            : "A query only reads: it completes no durable task and waits for none.");

    /// <summary>Makes this the thread's turn until the returned scope is disposed, which restores the previous one.</summary>
    public TurnScope Enter()
    {
        TurnScope scope = new(t_current);
        t_current = this;
        return scope;
    }

    /// <summary>
    /// Runs ready continuations, and those that they make ready, until none is left. An exception of a <see cref="ReplyContinuation"/>
    /// leaves the rest queued.
    /// </summary>
    public void Drain()
    {
        while (_count != 0)
        {
            ref Ready slot = ref _ready[_head];
            Ready next = slot;
            slot = default;
            _head = (_head + 1) & (_ready.Length - 1);
            _count--;
            next.Waiter.Resume(next.Completed);
        }
    }

    /// <summary>A call is to be written down before this turn ends.</summary>
    internal void Opened(CallRecorder recorder) => (_recorders ??= []).Add(recorder);

    /// <summary>The turn is over: closes what still waits for its call, and gives it; null if nothing does.</summary>
    internal IReadOnlyList<CallRecorder>? CloseRecorders()
    {
        if (_recorders is not { } opened)
        {
            return null;
        }

        _recorders = null;
        opened.RemoveAll(static recorder => !recorder.IsOpen);
        opened.ForEach(static recorder => recorder.Close());
        return opened;
    }

    /// <summary>The process must end with this, whatever becomes of the exception.</summary>
    internal void EndWith(Exception failure) => _end ??= failure;

    /// <summary>Throws what the process must end with, if there is anything.</summary>
    internal void ThrowIfEnded()
    {
        if (_end is { } failure)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    internal static void Restore(Turn? previous) => t_current = previous;

    internal void Post(DurableWaiter waiter, DurableCell completed)
    {
        if (_count == _ready.Length)
        {
            Grow();
        }
        _ready[(_head + _count) & (_ready.Length - 1)] = new Ready(waiter, completed);
        _count++;
    }

    private void Grow()
    {
        Ready[] larger = new Ready[2 * _ready.Length];
        int first = _ready.Length - _head;
        Array.Copy(_ready, _head, larger, 0, first);
        Array.Copy(_ready, 0, larger, first, _head);
        _ready = larger;
        _head = 0;
    }

    private readonly record struct Ready(DurableWaiter Waiter, DurableCell Completed);
}
