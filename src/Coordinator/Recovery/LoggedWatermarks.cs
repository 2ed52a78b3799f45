using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Read;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Recovery;

/// <summary>
/// What a log that is only looked at says at its end of what was exchanged with other instances. Two logs are compared by what coordinators
/// that meet would refuse each other for.
/// </summary>
public sealed class LoggedWatermarks
{
    private readonly InputWatermarks _received = new();
    private readonly Dictionary<string, TrimPoint> _confirmed = [];
    private readonly Dictionary<string, ulong> _sent = [];
    private readonly HashSet<ulong> _unaccounted = [];
    private bool _isUpgraded;

    private LoggedWatermarks(WriteAheadLog log) =>
        (Instance, Id, Epoch, Location) = (log.Instance, log.InstanceId.ToGuid(), log.Epoch.Value, log.Location);

    /// <summary>The instance whose log it is.</summary>
    public string Instance { get; }

    /// <summary>Instances that it has exchanged messages with.</summary>
    public IEnumerable<string> Peers =>
        _received.Names.Union(_confirmed.Keys).Union(_sent.Keys)
            .Where(name => name != Instance && name != InstanceName.Outside && InstanceName.IsValid(name))
            .Order(StringComparer.Ordinal);

    private Guid Id { get; }

    private ulong Epoch { get; }

    private string Location { get; }

    /// <summary>
    /// Reads the newest checkpoint's head and the ends of the records after it, as a recovery does; also what nothing proves durable yet.
    /// </summary>
    /// <exception cref="LogStoreException">They cannot be read.</exception>
    /// <exception cref="ProtocolException">Another build wrote them.</exception>
    public static async ValueTask<LoggedWatermarks> ReadAsync(WriteAheadLog log)
    {
        var marks = new LoggedWatermarks(log);
        Lsn from = Lsn.None;
        if (await log.OpenNewestValidCheckpointAsync() is { } reader)
        {
            await using CheckpointImage image = await CheckpointImage.OpenAsync(reader);
            from = image.Lsn;
            marks.Apply(image.Head);
        }

        await using LogReader records = log.OpenReader(from.Next, ReadLimit.Everything, endsOnly: true);
        while (await records.ReadAsync() == ReadOutcome.Record && await RecordReader.ReadTrailerAsync(records) is { } trailer)
        {
            marks.Apply(trailer, from, records.Header.Lsn);
        }

        return marks;
    }

    /// <summary>
    /// What a peer knows of this log and this log does not hold: a line each. The peer's log must have been read first, so that what both
    /// do meanwhile is no difference.
    /// </summary>
    public IEnumerable<string> LacksBeside(LoggedWatermarks peer)
    {
        // The peer has forgotten what this instance confirmed, and would not send it again.
        if (peer._confirmed.TryGetValue(Instance, out TrimPoint confirmed) && confirmed.ReceiverId == Id)
        {
            ulong held = _received.TryGet(peer.Instance, out InputWatermark input) && input.SenderId == peer.Id
                ? input.Watermark.Replayable : 0;
            if (held < confirmed.Number)
            {
                yield return Lack(StoreErrors.PeerFellBack,
                    $"{Instance} had confirmed message {confirmed.Number} of {peer.Instance}, and its log holds {held} of them",
                    peer, $"{peer.Instance} sends it nothing more");
            }
        }

        if (!peer._received.TryGet(Instance, out InputWatermark received) || received.SenderId != Id)
        {
            yield break;
        }

        if (received.Watermark.SenderEpoch > Epoch)
        {
            ulong epoch = received.Watermark.SenderEpoch;
            yield return Lack(LeadershipErrors.Fenced,
                $"{peer.Instance} has logged messages of epoch {epoch} of {Instance}, and its log ends with epoch {Epoch}", peer,
                $"what {peer.Instance} has logged");
        }
        else if (IsAccounted && received.Watermark.Replayable > _sent.GetValueOrDefault(peer.Instance))
        {
            (ulong logged, ulong sent) = (received.Watermark.Replayable, _sent.GetValueOrDefault(peer.Instance));
            yield return Lack(ReplayErrors.FewerThanPeerLogged,
                $"{peer.Instance} has logged {Counted.Of(logged, "message")} of {Instance}, and its log brings forth {sent}",
                peer,
                $"what {peer.Instance} has logged");
        }
    }

    private string Lack(ErrorCode error, string what, LoggedWatermarks peer, string safe) =>
        $"{error} {what} | {Location}, compared with {peer.Location} | {safe} | restore the newest folder of {Instance}";

    // Of a record that was logged last nobody knows yet what the app sends when it executes it; and what an upgrade sends stands in no
    // digest.
    private bool IsAccounted => _unaccounted.Count == 0 && !_isUpgraded;

    private void Apply(CheckpointHead head)
    {
        _received.Apply(head.Inputs);

        foreach (OutputWatermark output in head.Outputs)
        {
            _sent[output.Destination] = output.Streamed;
            Confirm(new TrimPoint(output.Destination, output.Trimmed, output.ReceiverEpoch, output.ReceiverId));
        }
    }

    private void Apply(RecordTrailer trailer, Lsn checkpoint, Lsn lsn)
    {
        if (trailer.MessageCount > 0)
        {
            _unaccounted.Add(lsn.Value);
        }

        _received.Apply(trailer.Inputs);

        trailer.Trims.ForEach(Confirm);
        _isUpgraded |= trailer.Upgrades.Count > 0;
        foreach (TurnDigest turn in trailer.Turns.Where(turn => turn.Lsn > checkpoint.Value))
        {
            // A digest stands in the log once; should it stand there twice, it counts once.
            if (_unaccounted.Remove(turn.Lsn))
            {
                turn.Counts.ForEach(sent => _sent[sent.Destination] = _sent.GetValueOrDefault(sent.Destination) + (ulong)sent.Count);
            }
        }
    }

    private void Confirm(TrimPoint trim)
    {
        TrimPoint before = _confirmed.GetValueOrDefault(trim.Destination);
        if (trim.ReceiverEpoch >= before.ReceiverEpoch || trim.ReceiverId != before.ReceiverId)
        {
            _confirmed[trim.Destination] = trim with { Number = Math.Max(trim.Number, before.Number) };
        }
    }
}
