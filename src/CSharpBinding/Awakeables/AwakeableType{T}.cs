using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <inheritdoc/>
internal abstract record AwakeableType<T>(uint Id, string Name, string Shape) : AwakeableType(Id, Name, Shape)
{
    /// <summary>Reads a value.</summary>
    public abstract T Read(ref MessagePackReader reader);

    /// <summary>Writes a value.</summary>
    public abstract void Write(ref MessagePackWriter writer, T value);
}
