using Ambrosia.Runtime;

namespace Ambrosia;

/// <summary>
/// A value that somebody outside gives, once: a durable completion with an address. Made in a handler by <c>Awakeable&lt;T&gt;()</c>, given
/// away as <see cref="Url"/>, and awaited, however long that takes (docs/guide/calls-from-outside.md#awakeables). Used inside turns only.
/// </summary>
public sealed class Awakeable<T>
{
    private readonly AwakeableCell<T> _cell;

    internal Awakeable(AwakeableCell<T> cell, string id, string url) => (_cell, Id, Url) = (cell, id, url);

    /// <summary>Names it. It cannot be guessed, and everybody that knows it may complete the awakeable: give it to nobody else.</summary>
    public string Id { get; }

    /// <summary>Where it is completed, with an HTTP POST of the value as JSON. It has the <see cref="Id"/> in it.</summary>
    public string Url { get; }

    /// <summary>
    /// The value. Fails with an <see cref="AwakeableRejectedException"/> if it was rejected, with an
    /// <see cref="AwakeableExpiredException"/> at its deadline, and with an <see cref="OperationCanceledException"/> after
    /// <see cref="Close"/>.
    /// </summary>
    public DurableTask<T> Task => new(_cell);

    /// <summary>Whether it can still be completed.</summary>
    public bool IsOpen => !_cell.IsCompleted;

    /// <summary>Used by <c>await</c>.</summary>
    public DurableTaskAwaiter<T> GetAwaiter() => Task.GetAwaiter();

    /// <summary>It is not needed any more: nobody can complete it from now on. False if it was over already.</summary>
    public bool Close() => _cell.End(new OperationCanceledException("The awakeable was closed."));
}
