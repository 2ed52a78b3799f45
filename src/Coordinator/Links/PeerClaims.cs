using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;

namespace Ambrosia.Coordinator.Links;

/// <summary>
/// Judges what destinations claim: that they have more than was sent, or that this instance is fenced. Whether the instance ends is never
/// decided by the word of one of them alone (docs/internals/exactly-once.md H19).
/// </summary>
/// <param name="instance">The instance.</param>
/// <param name="append">The right to append, which is proved when a destination doubts it.</param>
/// <param name="pending">What is logged with the next record: destinations, and what they have confirmed.</param>
/// <param name="flush">Asks for a record.</param>
internal sealed class PeerClaims(InstanceContext instance, AppendLease append, PendingMarks pending, Action flush) : IPeerFailures
{
    private readonly HashSet<string> _accusations = [];
    private readonly HashSet<string> _overclaims = [];
    private readonly ReplayedOutputs _replayed = new();
    private bool _provesLease;
    private bool _judgesClaim;

    /// <summary>What the catalog knows of this life and others; null until it is asked to.</summary>
    public Registration? Registration { get; set; }

    /// <summary>Sees what destinations have confirmed; null: nobody does.</summary>
    public IMessageTracer? Tracer { get; init; }

    /// <summary>
    /// The app has consumed the whole log, and acts: what destinations have confirmed must have been brought forth by now.
    /// </summary>
    public void ReplayEnded(OutputTable outputs)
    {
        foreach (OutputBuffer buffer in outputs.All)
        {
            RequireRegenerated(buffer);
        }

        _replayed.Ended(outputs.All);
    }

    void IPeerFailures.Accused(string destination, string evidence) => instance.Loops.Start(() => ProveLeaseAsync(destination, evidence));

    void IPeerFailures.LogOlderThanPeerKnows(string destination, ulong has, ulong confirmed) =>
        CoreLog.PeerLogOlder(instance.Logger, destination, has, confirmed);

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
            instance.Loops.Start(() => JudgeClaimAsync(buffer.Destination, most, replayable));
        }

        return follows;
    }

    void IPeerFailures.Answered(OutputBuffer buffer)
    {
        if (!buffer.IsNamed)
        {
            pending.Add(TrimOf(buffer));
            flush();
        }
    }

    void IPeerFailures.Trimmed(OutputBuffer buffer)
    {
        Tracer?.Confirmed(buffer.Destination, buffer.Trimmed);
        pending.Add(TrimOf(buffer));
    }

    // What was confirmed is logged as far as this log has brought it forth: a claim that cannot be must not be found by the next start.
    private static TrimPoint TrimOf(OutputBuffer buffer) =>
        new(buffer.Destination, buffer.TrimmedOfGenerated, buffer.ReceiverEpoch, buffer.ReceiverId);

    /// <summary>
    /// A destination claims what this log has not brought forth. The catalog tells whether this log is an older copy: if it has named
    /// another life in this epoch or a later one, the instance ends. Else the destination, alone, has a link that does not work.
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
            if (Registration is { } registration && await registration.HasOtherLifeAsync())
            {
                instance.Loops.Fail(CoreFailures.Diverged(instance.Name, destination, most, claimed));
            }
            else if (_overclaims.Add(destination))
            {
                CoreLog.ClaimsTooMuch(instance.Logger, destination, claimed, instance.Name, most);
            }
        }
        finally
        {
            _judgesClaim = false;
        }
    }

    /// <summary>
    /// An instance that is fenced ends. A destination that says so, alone, against a lease that is proved and a catalog that knows of no
    /// successor, has a link that does not work.
    /// </summary>
    private async Task ProveLeaseAsync(string destination, string evidence)
    {
        if (_provesLease)
        {
            return;
        }

        _provesLease = true;
        try
        {
            await append.Held.ProveAfreshAsync();
            if (Registration is { } registration && await registration.FindSuccessorAsync() is { } epoch)
            {
                instance.Loops.Fail(CoreFailures.Fenced($"{evidence}, and the catalog has named epoch {epoch}"));
            }
            else if (_accusations.Add(destination)) // Not for each of its texts: they are its own, and may differ for ever.
            {
                CoreLog.AccusedWrongly(instance.Logger, evidence, instance.Name, destination);
            }
        }
        catch (IOException)
        {
            instance.Loops.Fail(CoreFailures.Fenced(evidence));
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
        if (buffer.Generated < buffer.Settled)
        {
            instance.Loops.Fail(CoreFailures.Diverged(instance.Name, buffer.Destination, buffer.Generated, buffer.Settled));
        }
    }
}
