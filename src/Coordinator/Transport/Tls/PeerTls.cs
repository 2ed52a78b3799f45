using System.Net.Sockets;
using Ambrosia.Coordinator.Context;
using Ambrosia.Primitives.Loops;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>Makes encrypted connections of sockets, in both directions.</summary>
/// <param name="certificates">What this side proves itself by, and which authorities it trusts.</param>
/// <param name="identity">Which URI stands for which instance.</param>
/// <param name="time">Clock of deadlines and of certificates' validity.</param>
/// <param name="logger">Is told of every peer that is refused.</param>
public sealed class PeerTls(PeerCertificates certificates, PeerIdentity identity, TimeProvider time, ILogger logger)
{
    private static readonly TimeSpan s_handshakeTime = TimeSpan.FromSeconds(5);

    /// <summary>Shakes hands over a socket that was dialled. The socket is closed if that fails.</summary>
    internal async ValueTask<IConnection> DialledAsync(Socket socket, string peer, int largestRead, LoopWatch? watch,
        CancellationToken cancellationToken)
    {
        var connection = new TlsConnection(socket, peer, largestRead, dialled: true, watch);
        try
        {
            await connection.AuthenticateAsync(certificates.Current, identity, time.GetUtcNow(), cancellationToken);
            return connection;
        }
        catch (Exception)
        {
            await connection.DisposeAsync();
            throw;
        }
    }

    /// <summary>A socket that was accepted, to be served by <see cref="ServeAsync"/>.</summary>
    internal static IConnection Accepted(Socket socket, string peer, int largestRead) =>
        new TlsConnection(socket, peer, largestRead, dialled: false);

    /// <summary>Shakes hands, and lets the connection be served if the other side proves who it is.</summary>
    internal async Task ServeAsync(IConnection accepted, EndPointName endPoint, Func<IConnection, Task> serve)
    {
        using var deadline = new CancellationTokenSource(s_handshakeTime, time);
        try
        {
            await ((TlsConnection)accepted).AuthenticateAsync(certificates.Current, identity, time.GetUtcNow(), deadline.Token);
        }
        catch (OperationCanceledException)
        {
            CoordinatorLog.HandshakeRefused(logger, accepted.Peer, endPoint.ToString(), PeerErrors.NoTls.Id,
                $"no TLS 1.3 handshake within {s_handshakeTime.TotalSeconds:F0} s");
            return;
        }
        catch (TlsRefusedException refusal)
        {
            CoordinatorLog.HandshakeRefused(logger, accepted.Peer, endPoint.ToString(), refusal.Error.Id, refusal.Reason);
            return;
        }

        await serve(accepted);
    }
}
