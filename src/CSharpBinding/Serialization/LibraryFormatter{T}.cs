using System.ComponentModel;

namespace Ambrosia.Serialization;

/// <summary>
/// Values of types that MessagePack-CSharp writes and reads: those that its attributes mark, and what <see cref="ResolverAttribute"/> says.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct LibraryFormatter<T> : IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, T value) => LibraryCodec.Write(ref writer, value, static library => library.Options);

    /// <inheritdoc/>
    public T Read(ref MessagePackReader reader) => LibraryCodec.Read<T>(ref reader, static library => library.Options);
}
