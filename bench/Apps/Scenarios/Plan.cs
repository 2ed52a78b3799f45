using System.Text.RegularExpressions;

namespace Ambrosia.Bench.Scenarios;

/// <summary>How long a scenario measures, and what of it.</summary>
/// <param name="Folder">For everything that it writes; on the device that is measured.</param>
/// <param name="WarmUpSeconds">Before each figure, uncounted: just-in-time compilation, buffers, connections.</param>
/// <param name="Seconds">Of each repetition.</param>
/// <param name="Repetitions">Of each figure.</param>
/// <param name="IsQuick">Fewer points.</param>
/// <param name="Only">Names of the figures that are wanted; null for all.</param>
internal sealed record Plan(string Folder, double WarmUpSeconds, double Seconds, int Repetitions, bool IsQuick, Regex? Only)
{
    public static Plan Quick(string folder, Regex? only) => new(folder, 0.7, 0.4, 3, IsQuick: true, only);

    public static Plan Full(string folder, Regex? only) => new(folder, 3, 2.5, 3, IsQuick: false, only);

    /// <summary>Whether a figure of this name is to be measured.</summary>
    public bool Wants(string name) => Only is null || Only.IsMatch(name);

    /// <summary>A folder of its own for one part of a scenario.</summary>
    public string FolderFor(string part) => Path.Combine(Folder, part);
}
