namespace Ambrosia.Serialization;

/// <summary>
/// Writes and reads one type of value in MessagePack form. Formatters are structs without fields, so that generic code over
/// <c>TFormatter : struct, IFormatter&lt;T&gt;</c> calls them directly: <c>default(TFormatter).Write(ref writer, value)</c>.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IFormatter<T>
{
    /// <summary>Appends exactly one MessagePack value.</summary>
    /// <exception cref="MessagePackException">The value cannot be written: a null where none is allowed, or nesting too deep (a
    /// cycle).</exception>
    void Write(ref MessagePackWriter writer, T value);

    /// <summary>Consumes exactly one MessagePack value.</summary>
    /// <exception cref="MessagePackException">The bytes are not such a value.</exception>
    T Read(ref MessagePackReader reader);
}
