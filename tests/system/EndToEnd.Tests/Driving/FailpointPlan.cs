namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>Every point at which a process of a running cluster can be made to die, as docs/internals/testing.md lists them.</summary>
internal static class FailpointPlan
{
    /// <summary>Points of a coordinator with the number of passings that is drawn from at most; 1 for what happens once in a
    /// life.</summary>
    public static IReadOnlyList<(string Name, int Passings)> Coordinator { get; } =
    [
        ("K1", 2), ("K2", 20), ("K3", 30), ("K4", 20), ("K5", 20), ("K6", 20), ("K7", 20), ("K8", 10), ("K9", 10), ("K10", 20), ("K11", 20),
        ("K12", 10),
        ("K13", 1), ("K14", 1), ("K15", 2), ("K16", 1), ("K17", 1), ("K18", 1), ("K19", 1), ("K20", 1), ("K21", 1), ("K22", 1), ("K25", 2),
    ];

    /// <summary>Points of an app.</summary>
    public static IReadOnlyList<(string Name, int Passings)> App { get; } =
        [("B1", 1), ("B2", 30), ("B3", 30), ("B4", 20), ("B5", 2), ("B6", 1)];

    /// <summary>Points of a first start.</summary>
    public static IReadOnlyList<string> FirstStartOfCoordinator { get; } =
        ["K4", "K5", "K6", "K7", "K13", "K14", "K15", "K16", "K17", "K18", "K20", "K21", "K22", "K25", "K25:2", "K26", "K3"];

    /// <summary>Points of a first start, app.</summary>
    public static IReadOnlyList<string> FirstStartOfApp { get; } = ["B1", "B3", "B5"];
}
