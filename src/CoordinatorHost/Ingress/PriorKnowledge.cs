using System.Buffers;
using System.IO.Pipelines;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// One address for HTTP/1.1 and for HTTP/2 without TLS, of which Kestrel knows each alone: it chooses by what TLS has negotiated. A client
/// that knows that it may speak HTTP/2 says so in its first bytes (RFC 9113, 3.4). Then the connection says what TLS would have said.
/// </summary>
internal static class PriorKnowledge
{
    private static readonly byte[] s_preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray();

    /// <summary>Looks at the first bytes of a connection, and hands it on with all of them.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="patience">How long they may take.</param>
    /// <param name="time">Clock.</param>
    /// <param name="next">What serves it.</param>
    public static async Task ServeAsync(ConnectionContext connection, TimeSpan patience, TimeProvider time, ConnectionDelegate next)
    {
        bool? isHttp2 = await IsHttp2Async(connection, patience, time);
        if (isHttp2 is null)
        {
            connection.Abort();
            return;
        }

        if (isHttp2.Value)
        {
            var negotiated = new Negotiated();
            connection.Features.Set<ITlsConnectionFeature>(negotiated);
            connection.Features.Set<ITlsApplicationProtocolFeature>(negotiated);
        }

        await next(connection);
    }

    // Null for one that says nothing in time, or is gone.
    private static async ValueTask<bool?> IsHttp2Async(ConnectionContext connection, TimeSpan patience, TimeProvider time)
    {
        using var late = new CancellationTokenSource(patience, time);
        PipeReader input = connection.Transport.Input;
        while (true)
        {
            ReadResult read;
            try
            {
                read = await input.ReadAsync(late.Token);
            }
            catch (Exception error) when (error is OperationCanceledException or IOException)
            {
                return null;
            }

            bool fits = Fits(read.Buffer);
            bool knows = !fits || read.IsCompleted || read.IsCanceled || read.Buffer.Length >= s_preface.Length;
            bool isHttp2 = fits && read.Buffer.Length >= s_preface.Length;
            input.AdvanceTo(read.Buffer.Start, knows ? read.Buffer.Start : read.Buffer.End);
            if (knows)
            {
                return isHttp2;
            }
        }
    }

    private static bool Fits(in ReadOnlySequence<byte> bytes)
    {
        int count = (int)Math.Min(bytes.Length, s_preface.Length);
        Span<byte> first = stackalloc byte[count];
        bytes.Slice(0, count).CopyTo(first);
        return first.SequenceEqual(s_preface.AsSpan(0, count));
    }

    private sealed class Negotiated : ITlsConnectionFeature, ITlsApplicationProtocolFeature
    {
        private static readonly byte[] s_http2 = "h2"u8.ToArray();

        public X509Certificate2? ClientCertificate { get; set; }

        public ReadOnlyMemory<byte> ApplicationProtocol => s_http2;

        public Task<X509Certificate2?> GetClientCertificateAsync(CancellationToken cancellationToken) =>
            Task.FromResult<X509Certificate2?>(null);
    }
}
