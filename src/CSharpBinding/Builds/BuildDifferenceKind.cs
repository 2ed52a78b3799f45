namespace Ambrosia.Builds;

/// <summary>What a difference between two builds does.</summary>
internal enum BuildDifferenceKind
{
    /// <summary>Nothing that was saved or executed depends on it.</summary>
    Harmless,

    /// <summary>A message that was executed would be executed by other code.</summary>
    OtherCode,

    /// <summary>Something that was saved, or a message that was executed, has no place any more.</summary>
    Lost,
}
