using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>Waits for an impulse with a result.</summary>
internal sealed class ImpulseWaiter<T, TFormatter> : ImpulseWaiter
    where TFormatter : struct, IFormatter<T>
{
    // Continuations must not run inside the immortal's turn.
    private readonly TaskCompletionSource<T> _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends with the handler.</summary>
    public Task<T> Task => _done.Task;

    /// <inheritdoc/>
    public override void Complete(ReadOnlySpan<byte> value)
    {
        var reader = new MessagePackReader(value);
        _done.TrySetResult(default(TFormatter).Read(ref reader));
    }

    /// <inheritdoc/>
    public override void Fail(Exception error) => _done.TrySetException(error);
}
