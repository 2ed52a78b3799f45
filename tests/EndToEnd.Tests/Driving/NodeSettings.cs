namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>What a test may want of a node's coordinator.</summary>
internal sealed record NodeSettings
{
    /// <summary>Small, so that segments end and checkpoints are taken all the time.</summary>
    public static NodeSettings Small { get; } = new() { CoordinatorArguments = ["--segment-size", "1MiB", "--page-size", "64KiB", "--checkpoint-every", "2MiB"] };

    public IReadOnlyList<string> CoordinatorArguments { get; init; } = [];
}
