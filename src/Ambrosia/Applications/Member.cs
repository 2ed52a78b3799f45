namespace Ambrosia.Cli.Applications;

/// <summary>An immortal of an application, or a program beside them.</summary>
internal sealed record Member
{
    /// <summary>Of an immortal: the instance.</summary>
    public required string Name { get; init; }

    /// <summary>Whether a coordinator belongs to it.</summary>
    public required bool IsImmortal { get; init; }

    /// <summary>What is started on this machine: the file, and what stands before the arguments.</summary>
    public required IReadOnlyList<string> Program { get; init; }

    /// <summary>Arguments of the program, here and in a container.</summary>
    public IReadOnlyList<string> Arguments { get; init; } = [];

    /// <summary>The folder that it is started in: an absolute path.</summary>
    public required string Folder { get; init; }

    /// <summary>How many replicas of an immortal run; 1: a single one, without a number.</summary>
    public int Replicas { get; init; } = 1;

    /// <summary>Options of its coordinator.</summary>
    public IReadOnlyList<string> Options { get; init; } = [];

    /// <summary>Variables that it finds.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; init; } = new SortedDictionary<string, string>();

    /// <summary>Ports at which it listens.</summary>
    public IReadOnlyList<int> Ports { get; init; } = [];

    /// <summary>The image of its container; "" if none is named.</summary>
    public string Image { get; init; } = "";
}
