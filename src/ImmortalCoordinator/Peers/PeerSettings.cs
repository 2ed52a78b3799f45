using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Peers;

/// <summary>What all links of one instance share.</summary>
internal sealed record PeerSettings(
    string Cluster, string Instance, Guid InstanceId, ulong Epoch, int MaxFrameBytes, TimeSpan Heartbeat, TimeProvider Time, ILogger Logger)
{
    /// <summary>A link that said nothing for this long is dead.</summary>
    public TimeSpan DeadAfter => Heartbeat * 3;

    /// <summary>Time a stranger has for its Hello.</summary>
    public static TimeSpan HandshakeTime => TimeSpan.FromSeconds(5);
}
