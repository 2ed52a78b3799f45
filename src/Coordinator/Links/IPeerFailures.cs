using Ambrosia.Coordinator.State;

namespace Ambrosia.Coordinator.Links;

/// <summary>What a link to a destination reports to the core.</summary>
internal interface IPeerFailures
{
    /// <summary>
    /// A destination says that a newer epoch of this instance exists. The link sends nothing more; whether the instance ends is decided by
    /// a fresh proof of its own lease (G7), for any destination can say so.
    /// </summary>
    void Accused(string destination, string evidence);

    /// <summary>
    /// The destination asks for what it confirmed before: its log was rolled back. Both sides say so; nothing is renumbered.
    /// </summary>
    void LogOlderThanPeerKnows(string destination, ulong has, ulong confirmed);

    /// <summary>
    /// False when the destination claims more than it can have: in its first answer in this life of the coordinator more than the replay of
    /// this log
    /// brought forth, later more than was ever generated. Either it is wrong, or this log is an older copy, and going on would give new
    /// messages the numbers of those that are lost. Nothing is sent to it; whether the instance ends is not decided by its word alone.
    /// </summary>
    bool MayFollow(OutputBuffer buffer, ulong replayable);

    /// <summary>The destination has answered: the log has to name it before anything is sent to it.</summary>
    void Answered(OutputBuffer buffer);

    /// <summary>Outputs were confirmed: to be logged with the next record.</summary>
    void Trimmed(OutputBuffer buffer);
}
