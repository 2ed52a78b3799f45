namespace Ambrosia.Runtime;

/// <summary>Waits for an impulse without a result.</summary>
internal sealed class VoidImpulseWaiter : ImpulseWaiter
{
    // Continuations must not run inside the immortal's turn.
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends with the handler.</summary>
    public Task Task => _done.Task;

    /// <inheritdoc/>
    public override void Complete(ReadOnlySpan<byte> value) => _done.TrySetResult();

    /// <inheritdoc/>
    public override void Fail(Exception error) => _done.TrySetException(error);
}
