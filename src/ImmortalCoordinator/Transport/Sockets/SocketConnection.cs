using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ambrosia.ImmortalCoordinator.Transport.Sockets;

/// <summary>
/// A socket as a pair of pipes without a loop in between: a read or flush is the system call's own completion, and resumes on the caller's context.
/// </summary>
internal sealed class SocketConnection : IConnection
{
    private readonly Socket _socket;
    private int _closed;

    public SocketConnection(Socket socket, string peer, int segmentBytes)
    {
        _socket = socket;
        Peer = peer;
        // Only the socket is ever closed, never the stream: then every failure of the stream, own aborts included, is an IOException.
        var stream = new NetworkStream(socket, ownsSocket: false);
        Input = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: segmentBytes, minimumReadSize: 4096, leaveOpen: true));
        Output = PipeWriter.Create(stream, new StreamPipeWriterOptions(minimumBufferSize: segmentBytes, leaveOpen: true));
    }

    public PipeReader Input { get; }

    public PipeWriter Output { get; }

    public string Peer { get; }

    public void Abort()
    {
        if (Interlocked.Exchange(ref _closed, 1) == 0)
        {
            // Zero linger turns the close into a reset: the other side learns at once that this was no orderly end.
            Try(static socket => socket.LingerState = new LingerOption(enable: true, seconds: 0));
            _socket.Dispose();
        }
    }

    public ValueTask DisposeAsync()
    {
        // An exception keeps the writer from a last, possibly endless, blocking write.
        Output.Complete(new ConnectionLostException(Peer));
        Input.Complete();
        if (Interlocked.Exchange(ref _closed, 1) == 0)
        {
            Try(static socket => socket.Shutdown(SocketShutdown.Both));
            _socket.Dispose();
        }

        return default;
    }

    private void Try(Action<Socket> action)
    {
        try
        {
            action(_socket);
        }
        catch (SocketException)
        {
            // The other side was faster; the socket is closed either way.
        }
    }
}
