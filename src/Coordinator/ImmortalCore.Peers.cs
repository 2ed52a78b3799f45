using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;


namespace Ambrosia.Coordinator;

/// <summary>What links to destinations report.</summary>
public sealed partial class ImmortalCore : IPeerFailures
{
    private readonly HashSet<string> _accusations = [];
    private Registration? _registration;
    private readonly HashSet<string> _overclaims = [];
    private bool _provesLease;
    private bool _judgesClaim;

    void IPeerFailures.Accused(string destination, string evidence) => _loops.Start(() => ProveLeaseAsync(destination, evidence));

    void IPeerFailures.LogOlderThanPeerKnows(string destination, ulong has, ulong confirmed) =>
        CoreLog.PeerLogOlder(_logger, destination, has, confirmed);

    bool IPeerFailures.MayFollow(OutputBuffer buffer, ulong replayable)
    {
        if (_replayed.Of(buffer.Destination) is not { } replayed)
        {
            return true; // The replay goes on: at its end everything is compared that was claimed.
        }

        ulong most = buffer.HasAnswered ? buffer.Generated : replayed;
        bool follows = replayable <= most;
        if (!follows)
        {
            _loops.Start(() => JudgeClaimAsync(buffer.Destination, most, replayable));
        }

        return follows;
    }

    // What was confirmed is logged as far as this log has brought it forth: a claim that cannot be must not be found by the next start.
    void IPeerFailures.Trimmed(OutputBuffer buffer) =>
        _pending.Add(new TrimMark(buffer.Destination, buffer.TrimmedOfGenerated, buffer.ReceiverEpoch, buffer.ReceiverId));

    /// <summary>
    /// A destination claims what this log has not brought forth. The catalog tells whether this log is an older copy: if it has named
    /// another
    /// life in this epoch or a later one, the instance ends. Else the destination, alone, has a link that does not work.
    /// </summary>
    private async Task JudgeClaimAsync(string destination, ulong most, ulong claimed)
    {
        if (_judgesClaim)
        {
            return; // It is dialled again, and claims again.
        }

        _judgesClaim = true;
        try
        {
            if (_registration is { } registration && await registration.HasOtherLifeAsync())
            {
                _loops.Fail(CoreFailures.Diverged(_options.InstanceName, destination, most, claimed));
            }
            else if (_overclaims.Add(destination))
            {
                CoreLog.ClaimsTooMuch(_logger, destination, claimed, _options.InstanceName, most);
            }
        }
        finally
        {
            _judgesClaim = false;
        }
    }

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
            await _append.Held.ProveAfreshAsync();
            if (_registration is { } registration && await registration.FindSuccessorAsync() is { } epoch)
            {
                _loops.Fail(CoreFailures.Fenced($"{evidence}, and the catalog has named epoch {epoch}"));
            }
            else if (_accusations.Add(destination)) // Not for each of its texts: they are its own, and may differ for ever.
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
    /// Replay must bring forth at least what a peer has confirmed, else the app is not deterministic (docs/internals/exactly-once.md H19).
    /// </summary>
    private void RequireRegenerated(OutputBuffer buffer)
    {
        ulong confirmed = Math.Max(buffer.Dropped, Math.Max(buffer.HighestAnswered, buffer.Trimmed));
        if (buffer.Generated < confirmed)
        {
            _loops.Fail(CoreFailures.Diverged(_options.InstanceName, buffer.Destination, buffer.Generated, confirmed));
        }
    }
}
