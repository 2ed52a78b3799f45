namespace Ambrosia.Runtime;

internal delegate void StructWriter<T>(WriteSession session, ref T value);

internal delegate void StructReader<T>(ReadSession session, ref T value);

/// <summary>Emitted access to the fields of a struct.</summary>
internal sealed record StructAccess<T>(StructWriter<T> Write, StructReader<T> Read);
