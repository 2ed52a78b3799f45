namespace Ambrosia.PlantedBugs;

/// <summary>A description of a bug that cannot be used; says which and why.</summary>
internal sealed class BugFileException(string message) : Exception(message);
