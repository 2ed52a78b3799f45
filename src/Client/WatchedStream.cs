using Ambrosia.Protocol.Ingress;
using Grpc.Core;

namespace Ambrosia.Client;

/// <summary>The replies of one request that watches a query.</summary>
/// <param name="call">The request.</param>
/// <param name="ended">Told how it has failed; null if it has not.</param>
internal sealed class WatchedStream(AsyncServerStreamingCall<byte[]> call, Action<RpcException?> ended) : IDisposable
{
    private RpcException? _error;

    /// <summary>The id of the instance that has replied; null before that, and from a coordinator that does not tell it.</summary>
    public string? InstanceId { get; private set; }

    /// <summary>The next reply; null if the stream has come to its end.</summary>
    /// <exception cref="RpcException">It has failed.</exception>
    public async Task<byte[]?> NextAsync(CancellationToken stop)
    {
        try
        {
            if (!await call.ResponseStream.MoveNext(stop).ConfigureAwait(false))
            {
                return null;
            }

            InstanceId ??= (await call.ResponseHeadersAsync.ConfigureAwait(false)).GetValue(IngressService.InstanceIdHeader);
            return call.ResponseStream.Current;
        }
        catch (RpcException error)
        {
            _error = error;
            throw;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        call.Dispose();
        ended(_error);
    }
}
