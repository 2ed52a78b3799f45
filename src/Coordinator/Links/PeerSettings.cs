using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Links;

/// <summary>What all links of one instance share.</summary>
internal sealed record PeerSettings(
    string Cluster, string Instance, Guid InstanceId, ulong Epoch, int MaxMessageBytes, TimeSpan Heartbeat, TimeProvider Time,
    ILogger Logger)
{
    /// <summary>Which peers may send. Default: all.</summary>
    public PeerAllowList Allowed { get; init; } = PeerAllowList.Everybody;

    /// <summary>Largest frame body that a sender may announce: a batch of small messages, or one large one.</summary>
    public int MaxFrameBytes => MaxMessageBytes + OutputBuffer.MaxBatchBytes;

    /// <summary>A link that said nothing for this long is dead.</summary>
    public TimeSpan DeadAfter => Heartbeat * 3;

    /// <summary>Time that a connection has for its Hello.</summary>
    public static TimeSpan HandshakeTime => TimeSpan.FromSeconds(5);
}
