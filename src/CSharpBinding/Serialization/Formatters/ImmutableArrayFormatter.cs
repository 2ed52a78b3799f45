using System.Collections.Immutable;
using System.Runtime.InteropServices;

namespace Ambrosia.Serialization;

/// <summary>Immutable arrays. An uninitialized one is refused as null.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ImmutableArrayFormatter<T, TFormatter> : IFormatter<ImmutableArray<T>>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, ImmutableArray<T> value)
    {
        if (value.IsDefault)
        {
            writer.ThrowNull("An immutable array");
        }

        writer.Enter();
        writer.WriteArrayHeader(value.Length);
        foreach (T item in value)
        {
            default(TFormatter).Write(ref writer, item);
        }

        writer.Leave();
    }

    /// <inheritdoc/>
    public ImmutableArray<T> Read(ref MessagePackReader reader)
    {
        return ImmutableCollectionsMarshal.AsImmutableArray(default(ArrayFormatter<T, TFormatter>).Read(ref reader));
    }
}
