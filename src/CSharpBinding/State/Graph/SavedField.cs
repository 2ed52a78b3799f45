namespace Ambrosia.Runtime;

/// <summary>A field as the type table of a saved state describes it.</summary>
internal readonly record struct SavedField(string Name, Wire Wire);
