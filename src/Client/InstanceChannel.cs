using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Ambrosia.Protocol.Ingress;
using Grpc.Core;
using Grpc.Net.Client;

namespace Ambrosia.Client;

/// <summary>The addresses of one immortal's coordinators, of which one serves. It is used until it fails.</summary>
internal sealed class InstanceChannel : IDisposable
{
    private readonly (GrpcChannel Channel, CallInvoker Invoker)[] _addresses;
    private readonly Metadata _metadata = [];
    private int _serving;

    public InstanceChannel(IReadOnlyList<Uri> addresses, string? token, X509Certificate2Collection? authorities)
    {
        _addresses = [.. addresses.Select(address =>
        {
            GrpcChannel channel = Open(address, authorities);
            return (channel, channel.CreateCallInvoker());
        })];
        if (token is not null)
        {
            _metadata.Add("authorization", $"Bearer {token}");
        }
    }

    /// <summary>How many there are.</summary>
    public int Count => _addresses.Length;

    /// <summary>The one that is asked now.</summary>
    public int Serving => Volatile.Read(ref _serving);

    /// <summary>Asks one of them.</summary>
    /// <exception cref="RpcException">There is no reply, or a refusal.</exception>
    public async Task<byte[]> AskAsync(
        int address, Method<IngressCallRequest, byte[]> method, IngressCallRequest request, DateTime deadline, CancellationToken stop)
    {
        using AsyncUnaryCall<byte[]> call = _addresses[address].Invoker.AsyncUnaryCall(
            method, null, new CallOptions(_metadata, deadline, stop), request);
        return await call.ResponseAsync.ConfigureAwait(false);
    }

    /// <summary>One of them has failed: the next one is asked from now on, unless another call has found that already.</summary>
    public void Failed(int address) => Interlocked.CompareExchange(ref _serving, (address + 1) % _addresses.Length, address);

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach ((GrpcChannel channel, _) in _addresses)
        {
            channel.Dispose();
        }
    }

    private static X509ChainPolicy Trusting(X509Certificate2Collection authorities)
    {
        // Authorities of one's own seldom say where it would be told that a certificate is revoked.
        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        policy.CustomTrustStore.AddRange(authorities);
        return policy;
    }

    // A host that is gone without a word is noticed by pings; one that comes back is used at once.
    private static GrpcChannel Open(Uri address, X509Certificate2Collection? authorities) => GrpcChannel.ForAddress(address, new GrpcChannelOptions
    {
        HttpHandler = new SocketsHttpHandler
        {
            EnableMultipleHttp2Connections = true,
            ConnectTimeout = TimeSpan.FromSeconds(5),
            KeepAlivePingDelay = TimeSpan.FromSeconds(15),
            KeepAlivePingTimeout = TimeSpan.FromSeconds(10),
            SslOptions = new SslClientAuthenticationOptions { CertificateChainPolicy = authorities is null ? null : Trusting(authorities) },
        },
        DisposeHttpClient = true,
        MaxReceiveMessageSize = null,
        MaxSendMessageSize = null,
        InitialReconnectBackoff = TimeSpan.FromMilliseconds(50),
        MaxReconnectBackoff = TimeSpan.FromMilliseconds(500),
    });
}
