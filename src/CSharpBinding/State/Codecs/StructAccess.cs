namespace Ambrosia.Runtime;

/// <summary>Emitted access to the fields of a struct.</summary>
internal sealed record StructAccess<T>(StructWriter<T> Write, StructReader<T> Read);
