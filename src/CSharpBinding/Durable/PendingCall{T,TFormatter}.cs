using System.ComponentModel;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>A call whose reply carries a value. Saved with the method that awaits it.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class PendingCall<T, TFormatter> : PendingCall<T>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public override void Complete(ReadOnlySpan<byte> value)
    {
        var reader = new MessagePackReader(value, Turn.Required.Library);
        TryComplete(default(TFormatter).Read(ref reader));
    }
}
