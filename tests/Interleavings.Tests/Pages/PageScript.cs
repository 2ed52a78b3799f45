namespace Ambrosia.Interleavings.Tests.Pages;

/// <summary>Who does what in a schedule: the sizes of each writer's messages, and how many ask for flushes.</summary>
public sealed record PageScript(string Name, IReadOnlyList<int[]> Writers, int Flushers = 0)
{
    /// <summary>Pages take 4096 bytes, and there are two of them.</summary>
    public static IReadOnlyList<PageScript> All { get; } =
    [
        new("three writers share a page", [[200, 200], [300], [400]]),
        new("pages fill up", [[2000, 2000], [1500, 3000]]),
        new("a message larger than a page between small ones", [[6000], [500, 500]]),
        new("flushes while others write", [[300, 300], [200]], Flushers: 1),
        new("writers wait for the disk", [[4000, 4000], [4000], [100]]),
        new("one writer, a committer that goes to sleep", [[50, 50, 50]]),
    ];
}
