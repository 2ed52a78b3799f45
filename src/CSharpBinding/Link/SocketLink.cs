using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Ambrosia.Primitives.Loops;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Link;

/// <summary>The connection to a coordinator over a socket.</summary>
internal sealed class SocketLink : IDuplexPipe, IDisposable
{
    // Large enough that a busy log record comes in one piece; sockets are read as they fill.
    private const int LargestRead = 1 << 20;
    private const int SystemBuffer = 1 << 20;
    private readonly PolledByteChannel? _polled;

    /// <summary>
    /// A link over a connected socket, which stays its maker's. On a loop that waits for descriptors itself, it is read and written there.
    /// </summary>
    public SocketLink(Socket socket)
    {
        LoopWatch? watch = LoopPoller.Current?.TryWatch(socket.SafeHandle);
        _polled = watch is null ? null : new PolledByteChannel(socket, watch, Lost);
        IByteChannel channel = _polled is not null ? _polled : new SystemByteChannel(socket, Lost);
        Input = new SocketPipeReader(channel, LargestRead);
        Output = new SocketPipeWriter(channel);
    }

    /// <inheritdoc/>
    public PipeReader Input { get; }

    /// <inheritdoc/>
    public PipeWriter Output { get; }

    /// <summary>Connects a socket.</summary>
    /// <exception cref="SocketException">Nobody accepts there.</exception>
    public static async Task<Socket> ConnectAsync(EndPoint address, CancellationToken cancel)
    {
        bool unix = address is UnixDomainSocketEndPoint;
        var socket = unix
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
                { SendBufferSize = SystemBuffer, ReceiveBufferSize = SystemBuffer }
            : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(address, cancel);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Ends the watch; nothing may be pending.</summary>
    public void Dispose() => _polled?.Dispose();

    private static LinkClosedException Lost(string? reason) =>
        new(reason is null ? "The connection to the coordinator broke." : $"The connection to the coordinator broke: {reason}.");
}
