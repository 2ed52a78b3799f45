using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>The cell of a call sent to a peer. How its reply is decoded is up to the derived class.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class PendingCall<T> : DurableCell<T>, IPendingCall
{
    private long _number;

    /// <inheritdoc/>
    public long Number => _number;

    /// <summary>The call as something to await.</summary>
    public DurableTask<T> Task => new(this);

    void IPendingCall.SetNumber(long number) => _number = number;

    /// <inheritdoc/>
    public abstract void Complete(ReadOnlySpan<byte> value);

    /// <inheritdoc/>
    public void Fail(Exception error) => TryFail(error);
}
