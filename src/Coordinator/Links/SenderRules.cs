using Ambrosia.Coordinator.State;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Links;

/// <summary>What a sender makes of a destination's answers and confirmations (docs/internals/exactly-once.md#sender-on-answer).</summary>
/// <param name="buffer">What is sent.</param>
/// <param name="settings">Name, identity and epoch of the sender.</param>
/// <param name="failures">Told of what ends the instance, or may.</param>
/// <param name="gaps">What was dropped, and must be told before anything is sent.</param>
/// <param name="report">Tells people of a trouble; false if they know it.</param>
internal sealed class SenderRules(OutputBuffer buffer, PeerSettings settings, IPeerFailures failures, GapNotice gaps,
    Func<string, bool> report)
{
    /// <summary>Numbers that are added to a larger one could overflow; no honest receiver gets that far.</summary>
    private const ulong LargestNumber = long.MaxValue;

    private Guid _receiver;

    /// <summary>Why nothing may be sent; null, and the total to go on behind, when it may.</summary>
    /// <exception cref="ProtocolException">No receiver answers so.</exception>
    public PeerGoodbye? Apply(PeerAnswer answer, Guid catalogId, out ulong resumeBehind)
    {
        resumeBehind = 0;
        if (answer.Durable.Total > LargestNumber)
        {
            throw new ProtocolException($"answer with total {answer.Durable.Total}; nothing is numbered above {LargestNumber}", 0);
        }

        if (Accept(answer, catalogId, out bool replaced) is { } objection)
        {
            return objection;
        }

        // To a new instance of an old name its predecessor's share counts as sent.
        Watermark durable = replaced ? new Watermark(buffer.Trimmed, buffer.Trimmed, 0) : answer.Durable;
        if (durable.SenderEpoch == settings.Epoch && durable.Total >= buffer.NextTotal)
        {
            throw new ProtocolException($"{buffer.Destination} has {durable}, and message {buffer.NextTotal} was not sent yet", 0);
        }

        if (durable.SenderEpoch == settings.Epoch && buffer.NextTotal is not null)
        {
            buffer.ResumePlain(durable);
        }
        else
        {
            buffer.Rebase(durable);
        }

        resumeBehind = gaps.Agree(durable);
        failures.Answered(buffer);
        return null;
    }

    /// <summary>What the destination confirms is sent no more.</summary>
    /// <param name="trim">What it says.</param>
    /// <param name="offered">The last total that was handed to its connection.</param>
    /// <exception cref="ProtocolException">It confirms what it was never sent.</exception>
    public void Take(PeerAnswer trim, ulong offered)
    {
        if (trim.ReceiverId == _receiver && buffer.ReceiverId != _receiver && trim.Durable != Watermark.None)
        {
            buffer.DestinationReplaced(trim.ReceiverId, trim.ReceiverEpoch);
        }

        // What it was never sent may be just on its way from the buffer: it must not be taken away.
        bool own = trim.Durable.SenderEpoch == settings.Epoch;
        if (own ? trim.Durable.Total > offered : trim.Durable.Replayable > buffer.Trimmed)
        {
            throw new ProtocolException($"{buffer.Destination} confirms {trim.Durable}, and was sent no more than {offered}", 0);
        }

        if (trim.ReceiverId == buffer.ReceiverId && buffer.AcceptReceiver(trim.ReceiverEpoch, trim.ReceiverId))
        {
            buffer.TrimTo(trim.Durable, settings.Epoch);
            failures.Trimmed(buffer);
            Failpoint.Pass("K12");
        }
    }

    // Whether it is the one that the catalog knows, and has not forgotten anything; whether it stands in for another whose numbers go on.
    private PeerGoodbye? Accept(PeerAnswer answer, Guid catalogId, out bool replaced)
    {
        replaced = buffer.ReceiverId != Guid.Empty && buffer.ReceiverId != answer.ReceiverId;
        if (replaced)
        {
            if (answer.ReceiverId != catalogId)
            {
                return Object(PeerErrors.UnknownIdentity, $"{buffer.Destination} has an identity that the catalog does not know");
            }

            // Its predecessor's confirmations stay what the numbers belong to until it has confirmed something itself.
            if (answer.Durable != Watermark.None)
            {
                buffer.DestinationReplaced(answer.ReceiverId, answer.ReceiverEpoch);
                replaced = false;
            }
        }
        else if (!buffer.AcceptReceiver(answer.ReceiverEpoch, answer.ReceiverId))
        {
            return Object(LeadershipErrors.EpochTooOld, $"{buffer.Destination} answered in the fenced epoch {answer.ReceiverEpoch}");
        }

        _receiver = answer.ReceiverId;
        if (answer.Durable.SenderEpoch > settings.Epoch)
        {
            string fenced = $"{buffer.Destination} has logged epoch {answer.Durable.SenderEpoch} of {settings.Instance}";
            failures.Accused(buffer.Destination, fenced);
            report(fenced);
            return new PeerGoodbye(LeadershipErrors.Fenced, retry: false, fenced);
        }

        return replaced ? null : Compare(answer.Durable.Replayable);
    }

    private PeerGoodbye? Compare(ulong held)
    {
        if (held < buffer.Trimmed)
        {
            string older = $"{StoreErrors.PeerFellBack} {buffer.Destination} asks for message {held + 1}; it confirmed "
                + $"{buffer.Trimmed} before";
            if (report(older))
            {
                failures.LogOlderThanPeerKnows(buffer.Destination, held, buffer.Trimmed);
            }

            return new PeerGoodbye(StoreErrors.PeerFellBack, retry: true, older);
        }

        return failures.MayFollow(buffer, held) ? null
            : Object(ReplayErrors.DestinationClaimsMore, $"{buffer.Destination} has message {held}, which {settings.Instance} never sent");
    }

    private PeerGoodbye Object(ErrorCode error, string reason)
    {
        report(reason);
        return new PeerGoodbye(error, retry: true, reason);
    }
}
