using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;

namespace Ambrosia.Link;

/// <summary>The connection to a coordinator over a socket.</summary>
internal sealed class SocketLink : IDuplexPipe, IAsyncDisposable
{
    // Large enough that a busy log record comes in one piece; sockets are read as they fill.
    private const int ReadBuffer = 256 * 1024;
    private readonly NetworkStream _stream;

    private SocketLink(Socket socket)
    {
        _stream = new NetworkStream(socket, ownsSocket: true);
        Input = PipeReader.Create(_stream, new StreamPipeReaderOptions(bufferSize: ReadBuffer, minimumReadSize: 4096, leaveOpen: true));
        Output = PipeWriter.Create(_stream, new StreamPipeWriterOptions(minimumBufferSize: 64 * 1024, leaveOpen: true));
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
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
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
    public ValueTask DisposeAsync() => _stream.DisposeAsync();
}
