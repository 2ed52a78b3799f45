namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>What a test may want of a node's coordinator.</summary>
internal sealed record NodeSettings
{
    /// <summary>Small, so that segments end, checkpoints are taken and old log is deleted all the time.</summary>
    public static NodeSettings Trimmed { get; } = new()
        { CoordinatorArguments = ["--segment-size", "1MiB", "--page-size", "64KiB", "--checkpoint-every", "2MiB"] };

    /// <summary>As small, but the log is kept, so that all of it can be replayed when the test has passed.</summary>
    public static NodeSettings Small { get; } = new() { CoordinatorArguments = [.. Trimmed.CoordinatorArguments, "--retain", "all"] };

    public IReadOnlyList<string> CoordinatorArguments { get; init; } = [];

    /// <summary>Environment of the coordinator alone.</summary>
    public IReadOnlyList<(string Name, string Value)> CoordinatorEnvironment { get; init; } = [];

    /// <summary>Environment of coordinator and app.</summary>
    public IReadOnlyList<(string Name, string Value)> Environment { get; init; } = [];

    /// <summary>Number of this replica among several of the same name; null when there is only one.</summary>
    public int? Replica { get; init; }

    /// <summary>URI of the store, when it is not the sandbox's: a disk of the node's own.</summary>
    public string? Store { get; init; }

    /// <summary>URI of the catalog, when it is not the sandbox's.</summary>
    public string? Catalog { get; init; }

    /// <summary>Ending of its sockets' names: replicas of one instance need sockets of their own.</summary>
    public string Place { get; init; } = "";

    /// <summary>Whether nodes of one name in several places open the same gate: the one that acts does.</summary>
    public bool SharesGate { get; init; }

    /// <summary>Command and arguments in front of every program, such as one that enters another network; it must replace itself by the
    /// program.</summary>
    public string[] Launcher { get; init; } = [];
}
