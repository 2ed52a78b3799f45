namespace Ambrosia.PlantedBugs;

/// <summary>How a run of a harness ended.</summary>
internal enum Outcome
{
    /// <summary>Its tests ran, and all of them passed.</summary>
    Silent,

    /// <summary>A test failed by an assertion of its own.</summary>
    Violation,

    /// <summary>A test failed by an exception that is no assertion: something broke, and nobody compared anything.</summary>
    Threw,

    /// <summary>The runner's process ended without saying how its tests went: crashed, killed, or told to exit by what it tests.</summary>
    Crash,

    /// <summary>The runner was still at it when its time was over, and was killed.</summary>
    Hang,

    /// <summary>There is no such test.</summary>
    NothingToRun,
}
