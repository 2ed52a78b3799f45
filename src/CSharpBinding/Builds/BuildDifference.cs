namespace Ambrosia.Builds;

/// <summary>One difference between the build that saved a checkpoint and the one that loads it.</summary>
/// <param name="Kind">What it does.</param>
/// <param name="Text">For people: what differs, and where one can, how to keep what would be lost.</param>
internal sealed record BuildDifference(BuildDifferenceKind Kind, string Text);
