namespace Ambrosia.Runtime;

/// <summary>Fills the fields of a struct where it lies.</summary>
internal delegate void StructReader<T>(ReadSession session, ref T value);
