using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Ambrosia.Shared.Sockets;

namespace Ambrosia.Link;

/// <summary>The connection to a coordinator over a socket.</summary>
internal sealed class SocketLink : IDuplexPipe, IAsyncDisposable
{
    // Large enough that a busy log record comes in one piece; sockets are read as they fill.
    private const int LargestRead = 1 << 20;
    private const int SystemBuffer = 1 << 20;
    private readonly Socket _socket;

    private SocketLink(Socket socket)
    {
        _socket = socket;
        var channel = new SystemByteChannel(socket, static error => new IOException($"The connection to the coordinator broke: {error.Message}", error));
        Input = new SocketPipeReader(channel, LargestRead);
        Output = new SocketPipeWriter(channel);
    }

    /// <inheritdoc/>
    public PipeReader Input { get; }

    /// <inheritdoc/>
    public PipeWriter Output { get; }

    /// <summary>Connects.</summary>
    /// <exception cref="SocketException">Nobody accepts there.</exception>
    public static async Task<SocketLink> ConnectAsync(EndPoint address, CancellationToken cancel)
    {
        bool unix = address is UnixDomainSocketEndPoint;
        var socket = unix
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { SendBufferSize = SystemBuffer, ReceiveBufferSize = SystemBuffer }
            : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(address, cancel);
            return new SocketLink(socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _socket.Dispose();
        return default;
    }
}
