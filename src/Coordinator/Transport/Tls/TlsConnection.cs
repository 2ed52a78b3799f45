using System.IO.Pipelines;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using Ambrosia.Primitives.Loops;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>
/// A socket whose bytes are encrypted, and whose other side has proven a name. Nothing may be read or written before
/// <see cref="AuthenticateAsync"/> has returned. Made on a loop that can wait for descriptors itself, it is read and written on that
/// loop's thread.
/// </summary>
internal sealed class TlsConnection : IConnection
{
    private readonly Socket _socket;
    private readonly PolledByteChannel? _polled;
    private readonly SslStream _stream;
    private readonly bool _dialled;
    private bool _heard;
    private int _closed;

    public TlsConnection(Socket socket, string peer, int largestRead, bool dialled, LoopWatch? watch = null)
    {
        _socket = socket;
        Peer = peer;
        _dialled = dialled;
        watch ??= LoopPoller.Current?.TryWatch(socket.SafeHandle);
        _polled = watch is null ? null : new PolledByteChannel(socket, watch, LostSocket);
        var records = new RecordStream(_polled is not null ? _polled : new SystemByteChannel(socket, LostSocket));
        _stream = new SslStream(records, leaveInnerStreamOpen: false);
        var channel = new TlsByteChannel(_stream, records, Lost, () => _heard = true);
        Input = new SocketPipeReader(channel, largestRead);
        Output = new SocketPipeWriter(channel);
    }

    public PipeReader Input { get; }

    public PipeWriter Output { get; }

    public string Peer { get; }

    public string? ProvenName { get; private set; }

    /// <summary>Shakes hands; both sides show certificates.</summary>
    /// <exception cref="TlsRefusedException">This side does not believe the other, or the other broke off.</exception>
    public async ValueTask AuthenticateAsync(PeerCredentials credentials, PeerIdentity identity, DateTimeOffset now,
        CancellationToken cancellationToken)
    {
        var check = new CertificateCheck(identity, ofClient: !_dialled);
        try
        {
            await (_dialled
                ? _stream.AuthenticateAsClientAsync(TlsOptions.ForClient(credentials, check, now), cancellationToken)
                : _stream.AuthenticateAsServerAsync(TlsOptions.ForServer(credentials, check, now), cancellationToken));
            ProvenName = check.Instance;
        }
        catch (Exception error) when (error is not (OperationCanceledException or OutOfMemoryException))
        {
            // Whatever an unauthenticated peer sends, and whatever that makes the runtime throw: it ends this connection alone.
            throw check.Objection is var (refusal, reason) ? new TlsRefusedException(refusal, Peer, reason, error)
                : error is CryptographicException
                ? new TlsRefusedException(PeerErrors.CertificateUntrusted, Peer, $"its certificate cannot be read: {error.Message}", error)
                : new TlsRefusedException(PeerErrors.NoTls, Peer,
                    $"no TLS 1.3 handshake: {error.Message}{(error.InnerException is { } cause ? $" ({cause.Message})" : "")}", error);
        }
    }

    public void Abort()
    {
        if (Interlocked.Exchange(ref _closed, 1) == 0)
        {
            Try(static socket => socket.LingerState = new LingerOption(enable: true, seconds: 0));
            _socket.Dispose();
            _polled?.Break();
        }
    }

    public async ValueTask DisposeAsync()
    {
        Output.Complete(new ConnectionLostException(Peer));
        Input.Complete();
        _polled?.Dispose();
        if (Interlocked.Exchange(ref _closed, 1) == 0)
        {
            Try(static socket => socket.Shutdown(SocketShutdown.Both));
            _socket.Dispose();
        }

        await _stream.DisposeAsync();
    }

    // With TLS 1.3 the client is done before the server has looked at its certificate: a refusal shows as a connection that breaks before
    // it says anything.
    private IOException Lost(Exception? error) => _dialled && !_heard && _closed == 0
        ? new TlsRefusedException(PeerErrors.BrokenOff, Peer,
            "it broke the connection off before it said anything; if it refused this certificate, its log says why", error)
        : new ConnectionLostException(Peer, (error as ConnectionLostException ?? error?.InnerException as ConnectionLostException)?.Reason);

    private ConnectionLostException LostSocket(string? reason) => new(Peer, _closed == 0 ? reason : null);

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
