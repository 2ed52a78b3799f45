using Ambrosia.ImmortalCoordinator.State;

namespace Ambrosia.ImmortalCoordinator.Peers;

/// <summary>What a link to a destination reports to the core.</summary>
internal interface IPeerFailures
{
    /// <summary>A newer epoch of this instance exists: this one must stop at once (G7).</summary>
    void Fenced(string evidence);

    /// <summary>The destination asks for what it confirmed before: its log was rolled back. Both sides say so; nothing is renumbered.</summary>
    void LogOlderThanPeerKnows(string destination, ulong has, ulong confirmed);

    /// <summary>Outputs were confirmed: to be logged with the next record.</summary>
    void Trimmed(OutputBuffer buffer);
}
