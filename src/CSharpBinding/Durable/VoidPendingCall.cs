using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>The cell of a call whose reply carries no value.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class VoidPendingCall : PendingCall<Nothing>
{
    /// <inheritdoc/>
    public override void Complete(ReadOnlySpan<byte> value) => TryComplete(default);
}
