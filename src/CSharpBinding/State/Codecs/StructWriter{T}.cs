namespace Ambrosia.Runtime;

/// <summary>Writes the fields of a struct where it lies.</summary>
internal delegate void StructWriter<T>(WriteSession session, ref T value);
