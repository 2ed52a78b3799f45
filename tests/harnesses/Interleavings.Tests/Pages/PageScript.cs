namespace Ambrosia.Interleavings.Tests.Pages;

/// <summary>
/// Who does what in a schedule: the sizes of each writer's messages, how many ask for flushes, and how many of the writers, the first ones,
/// wake nobody and commit themselves what they have published. <paramref name="Zeros"/>: zeros are written ahead, and each call of the disk
/// is a step of its own.
/// </summary>
public sealed record PageScript(string Name, IReadOnlyList<int[]> Writers, int Flushers = 0, int Committing = 0, bool Zeros = false)
{
    /// <summary>Pages take 4096 bytes, and there are two of them.</summary>
    public static IReadOnlyList<PageScript> All { get; } =
    [
        new("a writer commits while zeros are written ahead", [[50, 50], [50]], Committing: 1, Zeros: true),
        new("three writers share a page", [[200, 200], [300], [400]]),
        new("pages fill up", [[2000, 2000], [1500, 3000]]),
        new("a message larger than a page between small ones", [[6000], [500, 500]]),
        new("flushes while others write", [[300, 300], [200]], Flushers: 1),
        new("writers wait for the disk", [[4000, 4000], [4000], [100]]),
        new("one writer, a committer that goes to sleep", [[50, 50, 50]]),
        new("two writers commit, one wakes the loop", [[300, 300], [200], [100]], Committing: 2),
        new("a writer commits, pages fill up", [[2000, 3000], [1500, 4000]], Committing: 1),
    ];
}
