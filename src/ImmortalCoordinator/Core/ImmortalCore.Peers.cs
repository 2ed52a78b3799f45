using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.ImmortalCoordinator.Peers;
using Ambrosia.ImmortalCoordinator.State;

namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>What links to destinations report.</summary>
public sealed partial class ImmortalCore : IPeerFailures
{
    private readonly HashSet<string> _accusations = [];
    private Registration? _registration;
    private bool _provesLease;

    void IPeerFailures.Accused(string destination, string evidence) => _loops.Start(() => ProveLeaseAsync(destination, evidence));

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

    /// <summary>Whoever is fenced ends. A destination that says so, alone, against a lease that is proved and a catalog that knows of no successor, has a link that does not work.</summary>
    private async Task ProveLeaseAsync(string destination, string evidence)
    {
        if (_provesLease)
        {
            return;
        }

        _provesLease = true;
        try
        {
            await _lease!.ProveAfreshAsync();
            if (_registration is { } registration && await registration.FindSuccessorAsync() is { } epoch)
            {
                _loops.Fail(CoreFailures.Fenced($"{evidence}, and the catalog has named epoch {epoch}"));
            }
            else if (_accusations.Add(evidence))
            {
                CoreLog.AccusedWrongly(_logger, evidence, _options.InstanceName, destination);
            }
        }
        catch (IOException)
        {
            _loops.Fail(CoreFailures.Fenced(evidence));
        }
        finally
        {
            _provesLease = false;
        }
    }

    /// <summary>
    /// Replay must bring forth at least what a peer has confirmed, else the app is not deterministic (docs/exactly-once.md H19).
    /// </summary>
    private void RequireRegenerated(OutputBuffer buffer)
    {
        ulong confirmed = Math.Max(buffer.HighestAnswered, buffer.Trimmed);
        if (buffer.Generated < confirmed)
        {
            _loops.Fail(CoreFailures.Diverged(_options.InstanceName, buffer.Destination, buffer.Generated, confirmed));
        }
    }
}
