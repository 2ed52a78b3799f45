using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// Delivery to an app of the published protocol. The ends of its turns cannot be seen: what was handed over is taken for done.
/// </summary>
internal sealed class LegacyDelivery(
    PipeWriter output, IAppFraming framing, AppServices services, CheckpointExchange checkpoints, DeliveryTerms terms)
    : AppDelivery(output, framing, services, checkpoints, terms)
{
    private Lsn? _convertedAt;

    // Its bindings may save their state later than they are asked: it must not have changed by then.
    protected override bool AwaitsCheckpoint => Checkpoints.Busy;

    // That protocol has no word for it.
    public override void SendSkips(IEnumerable<MessagePosition> skips)
    {
    }

    protected override bool IsDone(Lsn lsn) => true;

    protected override void AnnouncePrimary()
    {
        if (!IsFirstStart && _convertedAt is null)
        {
            // At a first start that request has gone out already: it opened the session. An upgrade has had its checkpoint.
            Expect();
            Framing.WriteControl(Output, BindingMessageType.TakeBecomingPrimaryCheckpoint);
        }
    }

    protected override void LookAfterAnnouncement()
    {
        if (_convertedAt is { } converted && Delivered > converted)
        {
            // By the next request for a checkpoint, after another record, a binding of the original knows that its upgrade is complete.
            _convertedAt = null;
            Checkpoints.Want();
        }
    }

    protected override void WriteConversion(string goal)
    {
        if (Gate is { IsCrossing: true } crossing)
        {
            Framing.WriteControl(Output, BindingMessageType.UpgradeService); // Answered by nothing: replay goes on.
            crossing.Open();
        }
        else
        {
            _convertedAt = Delivered;
            Framing.WriteControl(Output, BindingMessageType.UpgradeTakeCheckpoint);
        }
    }

    protected override ValueTask WriteMessagesAsync(RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks, bool replay)
    {
        Framing.WriteRecord(Output, info, payload, marks);
        return default;
    }

    protected override void Wrote(Lsn lsn) => Terms.Unreported(lsn);
}
