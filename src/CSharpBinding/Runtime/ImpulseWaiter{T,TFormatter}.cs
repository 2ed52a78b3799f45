using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>Waits for an impulse with a result.</summary>
/// <param name="library">What reads it if MessagePack-CSharp does.</param>
internal sealed class ImpulseWaiter<T, TFormatter>(MessagePackLibrary library) : ImpulseWaiter
    where TFormatter : struct, IFormatter<T>
{
    // Continuations must not run inside the immortal's turn.
    private readonly TaskCompletionSource<T> _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends with the handler.</summary>
    public Task<T> Task => _done.Task;

    /// <inheritdoc/>
    public override void Complete(ReadOnlySpan<byte> value)
    {
        var reader = new MessagePackReader(value, library);
        _done.TrySetResult(default(TFormatter).Read(ref reader));
    }

    /// <inheritdoc/>
    public override void Fail(Exception error) => _done.TrySetException(error);
}
