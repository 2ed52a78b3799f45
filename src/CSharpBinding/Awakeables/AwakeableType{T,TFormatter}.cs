using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <inheritdoc/>
internal sealed record AwakeableType<T, TFormatter>(uint Id, string Name, string Shape) : AwakeableType<T>(Id, Name, Shape)
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public override T Read(ref MessagePackReader reader) => default(TFormatter).Read(ref reader);

    /// <inheritdoc/>
    public override void Write(ref MessagePackWriter writer, T value) => default(TFormatter).Write(ref writer, value);
}
