using System.IO.Pipelines;
using System.Net.Sockets;
using Ambrosia.Primitives.Loops;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Coordinator.Transport.Sockets;

/// <summary>
/// A socket as a pair of pipes without a loop in between. Made on a loop that can wait for descriptors itself, it is read and written on
/// that loop's thread; elsewhere a read or flush is the runtime's own completion, and resumes on the caller's context.
/// </summary>
internal sealed class SocketConnection : IConnection, IAppProcess
{
    private readonly Socket _socket;
    private readonly PolledByteChannel? _polled;
    private readonly PeerProcess? _process;
    private int _closed;

    public SocketConnection(Socket socket, string peer, int largestRead, LoopWatch? watch = null)
    {
        _socket = socket;
        Peer = peer;
        _process = PeerProcess.Of(socket);
        watch ??= LoopPoller.Current?.TryWatch(socket.SafeHandle);
        _polled = watch is null ? null : new PolledByteChannel(socket, watch, Lost);
        IByteChannel channel = _polled is not null ? _polled : new SystemByteChannel(socket, Lost);
        Input = new SocketPipeReader(channel, largestRead);
        Output = new SocketPipeWriter(channel);
    }

    public PipeReader Input { get; }

    public PipeWriter Output { get; }

    public string Peer { get; }

    public string? UserObjection { get; init; }

    public void Abort()
    {
        if (Interlocked.Exchange(ref _closed, 1) == 0)
        {
            // Zero linger turns the close into a reset: the other side learns at once that this was no orderly end.
            Try(static socket => socket.LingerState = new LingerOption(enable: true, seconds: 0));
            _socket.Dispose();
            _polled?.Break();
        }
    }

    public ValueTask<AppEnd> EndAsync(TimeProvider time) =>
        _process?.EndAsync(time) ?? new(new AppEnd(AppEndCause.Unknown, "its connection was lost"));

    public bool IsStopped => _process?.IsStopped == true;

    public bool IsSeen => _process?.IsSeen == true;

    public bool Kill() => _process?.Kill() == true;

    public ValueTask DisposeAsync()
    {
        _process?.Dispose();
        Output.Complete(new ConnectionLostException(Peer));
        Input.Complete();
        _polled?.Dispose();
        if (Interlocked.Exchange(ref _closed, 1) == 0)
        {
            Try(static socket => socket.Shutdown(SocketShutdown.Both));
            _socket.Dispose();
        }

        return default;
    }

    private ConnectionLostException Lost(string? reason) => new(Peer, _closed == 0 ? reason : null);

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
