using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>How an app speaks: the binding protocol, or the published one.</summary>
internal interface IAppDialect
{
    /// <summary>
    /// False if the app can be told nothing but records and requests for checkpoints, and does not say when a turn has ended.
    /// </summary>
    bool Converses { get; }

    /// <summary>A first checkpoint, or one that it was asked for to act, is the only sign that the app acts.</summary>
    bool ActsBehindCheckpoint { get; }

    /// <summary>How what goes to it is framed.</summary>
    IAppFraming Framing { get; }

    /// <summary>What reads from it.</summary>
    AppInbox Inbox(PipeReader input, AppServices services, IAppEvents events, CancellationToken ended, AppInbox? before = null);

    /// <summary>What writes to it.</summary>
    AppDelivery Delivery(PipeWriter output, AppServices services, CheckpointExchange checkpoints, DeliveryTerms terms);

    /// <summary>The initial message as it is logged.</summary>
    byte[] ToLogged(byte[] initialMessage);

    /// <summary>Whether an app that agreed on these features follows the log through an upgrade.</summary>
    bool Crosses(ulong features);

    /// <summary>Where the stream to an app that begins after a checkpoint is interrupted.</summary>
    UpgradeGate GateBehind(Lsn checkpoint, UpgradeHistory upgrades, ulong features);
}
