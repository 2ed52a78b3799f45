using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>The binding protocol (protocol.md, section 5).</summary>
internal sealed class BindingDialect : IAppDialect
{
    public bool Converses => true;

    public bool ActsBehindCheckpoint => false;

    public IAppFraming Framing { get; } = new Version2Framing();

    public AppInbox Inbox(PipeReader input, AppServices services, IAppEvents events, CancellationToken ended, AppInbox? before) =>
        new BindingInbox(input, services, events, ended, before);

    public AppDelivery Delivery(PipeWriter output, AppServices services, CheckpointExchange checkpoints, DeliveryTerms terms) =>
        new BindingDelivery(output, Framing, services, checkpoints, terms);

    public byte[] ToLogged(byte[] initialMessage) => initialMessage;

    public bool Crosses(ulong features) => (features & BindingFeatures.Upgrades) != 0;

    public UpgradeGate GateBehind(Lsn checkpoint, UpgradeHistory upgrades, ulong features) => new(upgrades.Behind(checkpoint), features);
}
