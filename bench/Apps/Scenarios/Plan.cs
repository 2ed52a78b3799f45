namespace Ambrosia.Bench.Scenarios;

/// <summary>How long a scenario measures.</summary>
/// <param name="Folder">For everything that it writes; on the device that is measured.</param>
/// <param name="WarmUpSeconds">Before each figure, uncounted: just-in-time compilation, buffers, connections.</param>
/// <param name="Seconds">Of each repetition.</param>
/// <param name="Repetitions">Of each figure.</param>
internal sealed record Plan(string Folder, double WarmUpSeconds, double Seconds, int Repetitions)
{
    public static Plan Quick(string folder) => new(folder, 0.5, 0.4, 3);

    public static Plan Full(string folder) => new(folder, 3, 2.5, 3);
}
