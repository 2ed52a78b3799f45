namespace Ambrosia.Simulation.Tests;

/// <summary>How a caller outside asks for its answer.</summary>
internal enum AskingMode
{
    /// <summary>It calls, and waits for the answer.</summary>
    Call,

    /// <summary>It calls, and waits until that is durable.</summary>
    Send,

    /// <summary>It asks by the key only.</summary>
    Look,
}
