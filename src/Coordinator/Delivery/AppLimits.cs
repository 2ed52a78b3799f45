using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>Limits of the app's stream.</summary>
internal sealed record AppLimits(long MaxMessageBytes, long MaxTurnBytes)
{
    /// <summary>Largest message that the app may send, or repeat: a replay sends what was allowed when it was new.</summary>
    public long MaxMessageBytes { get; private set; } = MaxMessageBytes;

    /// <summary>What is replayed was executed under this limit.</summary>
    public void Allow(long largestMessage) => MaxMessageBytes = Math.Max(MaxMessageBytes, largestMessage);

    /// <summary>Called when a turn is too large to be held until it ends.</summary>
    public Action TurnEscapes { get; init; } = static () => { };

    /// <summary>Requires that this is one replayable message, as an app's first is.</summary>
    /// <exception cref="ProtocolException">It is not.</exception>
    public void RequireInitial(ReadOnlySpan<byte> message)
    {
        (int count, int replayable) = MessageScanner.Count(message, (int)MaxMessageBytes);
        if (count != 1 || replayable != 1)
        {
            throw new ProtocolException($"InitialMessage holds {replayable} replayable messages of {count}; it must be one", 0);
        }
    }
}
