namespace Ambrosia.Coordinator.Transport.Sockets;

/// <summary>Knobs of <see cref="SocketTransport"/>.</summary>
public sealed class SocketTransportOptions
{
    /// <summary>Send small segments at once instead of gathering them. Default true: batching is done above, by group commit.</summary>
    public bool NoDelay { get; init; } = true;

    /// <summary>
    /// Silence after which the system asks whether a TCP peer is still there. Default 2 s; three unanswered questions end the connection.
    /// What is being sent again asks, too, after pauses that double: a connection of which only the way back is cut is given up in the
    /// first pause that is longer than four times this, so in the one of 12.8 s that begins after 12.6 s. With 5 s it would be a later one.
    /// </summary>
    public TimeSpan KeepAlive { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How long an attempt to connect may take. Default 5 s.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Connections waiting to be accepted. Default 512.</summary>
    public int Backlog { get; init; } = 512;

    /// <summary>
    /// Accepted connections open at once, per listener; further ones are closed unread. Default 1024, but at most a quarter of the files
    /// that the process may have open: a flood of connections must not take the log's files away.
    /// </summary>
    public int MaxConnections { get; init; } = Platform.UsesLinuxCalls ? (int)Math.Clamp(Posix.OpenFileLimit / 4, 8, 1024) : 1024;

    /// <summary>Bytes up to which a connection's receive buffer grows while more comes than it holds. Default 1 MiB.</summary>
    public int LargestRead { get; init; } = 1 << 20;

    /// <summary>
    /// Bytes of the system's own send and receive buffers. Default 1 MiB; the system may grant less. With less, a record or batch takes as
    /// many changes of processes as it takes buffers.
    /// </summary>
    public int SystemBuffer { get; init; } = 1 << 20;

    /// <summary>
    /// Number of the group whose members may connect to a Unix socket, beside this process's user and root; its mode is 0660 then.
    /// Default: none, 0600.
    /// </summary>
    public uint? Group { get; init; }
}
