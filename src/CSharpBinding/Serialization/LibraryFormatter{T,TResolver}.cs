using System.ComponentModel;
using MessagePack;

namespace Ambrosia.Serialization;

/// <summary>Values that MessagePack-CSharp writes and reads by formatters that an interface's resolver is asked for first.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct LibraryFormatter<T, TResolver> : IFormatter<T>
    where TResolver : IFormatterResolver
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, T value) =>
        LibraryCodec.Write(ref writer, value, static library => library.With<TResolver>());

    /// <inheritdoc/>
    public T Read(ref MessagePackReader reader) => LibraryCodec.Read<T>(ref reader, static library => library.With<TResolver>());
}
