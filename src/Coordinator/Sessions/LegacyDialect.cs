using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>The published protocol, for bindings of the original system (protocol.md, section 6).</summary>
/// <param name="committerId">Number of the coordinator in the headers of records.</param>
/// <param name="instance">Name of the instance.</param>
/// <param name="upgradeTo">Version to which the app's state is converted before it acts; "": to none.</param>
internal sealed class LegacyDialect(int committerId, string instance, string upgradeTo) : IAppDialect
{
    public bool Converses => false;

    public bool ActsBehindCheckpoint => true;

    public IAppFraming Framing { get; } = new LegacyFraming(committerId, instance);

    public AppInbox Inbox(PipeReader input, AppServices services, IAppEvents events, CancellationToken ended, AppInbox? before) =>
        new LegacyInbox(input, services, events, ended);

    public AppDelivery Delivery(PipeWriter output, AppServices services, CheckpointExchange checkpoints, DeliveryTerms terms) =>
        new LegacyDelivery(output, Framing, services, checkpoints, terms);

    public byte[] ToLogged(byte[] initialMessage) => LegacyInitialMessage.ToDeliveryForm(initialMessage);

    public bool Crosses(ulong features) => true;

    // Such an app says nothing of versions: the log says what it has, an option what it is to become.
    public UpgradeGate GateBehind(Lsn checkpoint, UpgradeHistory upgrades, ulong features)
    {
        List<VersionChange> crossings = [.. upgrades.Behind(checkpoint)];
        var gate = new UpgradeGate(crossings, upgradeTo.Length > 0 ? BindingFeatures.Upgrades : 0);
        if (upgradeTo.Length > 0)
        {
            string version = crossings is [var first, ..] ? first.From : upgrades.Marks is [.., var last] ? last.To : "";
            gate.Told(new StateVersion(version, upgradeTo == version ? "" : upgradeTo));
        }

        return gate;
    }
}
