using Ambrosia.Coordinator.Transport;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Poison;

/// <summary>An app as the guard sees it, while it is attached and after it has ended.</summary>
internal interface IAttachedApp
{
    /// <summary>The first message that it has not finished.</summary>
    MessagePosition ExecutedBefore { get; }

    /// <summary>The last message that was written to it.</summary>
    MessagePosition LastDelivered { get; }

    /// <summary>The message that it has said it is in.</summary>
    MessagePosition? Running { get; }

    /// <summary>The message whose handler it has said to have failed.</summary>
    MessagePosition? FaultedAt { get; }

    /// <summary>Output of an unfinished turn has left.</summary>
    bool EscapedOpenTurn { get; }

    /// <summary>Why it said it leaves.</summary>
    string? Farewell { get; }

    /// <summary>Its process, where the system names it.</summary>
    IAppProcess? Process { get; }

    /// <summary>Its connection ended without a word.</summary>
    bool LinkLost { get; }

    /// <summary>It was ended because a turn took too long.</summary>
    bool KilledByDeadline { get; }
}
