using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.ImmortalCoordinator.Peers;
using Ambrosia.ImmortalCoordinator.State;

namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>What links to destinations report.</summary>
public sealed partial class ImmortalCore : IPeerFailures
{
    void IPeerFailures.Fenced(string evidence) =>
        _loops.Fail(CoreFailures.Fenced(evidence));

    void IPeerFailures.LogOlderThanPeerKnows(string destination, ulong has, ulong confirmed) =>
        CoreLog.PeerLogOlder(_logger, destination, has, confirmed);

    bool IPeerFailures.MayFollow(OutputBuffer buffer, ulong replayable)
    {
        bool follows = _replayed.Of(buffer.Destination) is not { } replayed || replayable <= replayed;
        if (!follows)
        {
            _loops.Fail(CoreFailures.Diverged(_options.InstanceName, buffer.Destination, _replayed.Of(buffer.Destination) ?? 0, replayable));
        }

        return follows;
    }

    void IPeerFailures.Trimmed(OutputBuffer buffer) =>
        _pending.Add(new TrimMark(buffer.Destination, buffer.Trimmed, buffer.ReceiverEpoch, buffer.ReceiverId));

    /// <summary>Replay must bring forth at least what a peer has confirmed, else the app is not deterministic (PROTOCOL H19).</summary>
    private void RequireRegenerated(OutputBuffer buffer)
    {
        ulong confirmed = Math.Max(buffer.HighestAnswered, buffer.Trimmed);
        if (buffer.Generated < confirmed)
        {
            _loops.Fail(CoreFailures.Diverged(_options.InstanceName, buffer.Destination, buffer.Generated, confirmed));
        }
    }
}
