using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Ambrosia.Primitives.Sockets;
using Ambrosia.Protocol.Ingress;
using Grpc.Core;
using Grpc.Net.Client;

namespace Ambrosia.Client;

/// <summary>
/// The connections to one address. Its name may stand for several hosts, of which one serves; and a connection stays with the host that it
/// has reached. So when that one says that it does not serve, new connections take its place, to the next host of the name.
/// </summary>
internal sealed class AddressChannel(Uri address, X509Certificate2Collection? authorities, TimeProvider time) : IDisposable
{
    // Bytes of arguments. Behind a larger call on a stream others would wait.
    private const int MostOnStream = 32 << 10;

    private static readonly TimeSpan s_way = TimeSpan.FromSeconds(2); // What a reply may need, after the server has waited.
    // There may be other servers, or other things before them, by then.
    private static readonly TimeSpan s_alone = TimeSpan.FromMinutes(1);
    private readonly object _gate = new();
    private readonly HostsInTurn<Connections> _hosts = new(host => new Connections(Open(address, host, authorities), time), time);
    private long? _alone;

    /// <summary>Asks it.</summary>
    /// <exception cref="RpcException">There is no reply, or a refusal.</exception>
    public Task<byte[]> AskAsync<TRequest>(Method<TRequest, byte[]> method, TRequest request, CallOptions options)
        where TRequest : class =>
        WithConnectionsAsync(used => AskAloneAsync(used, method, request, options), options.CancellationToken);

    /// <summary>Makes a call there: among others on a stream, or alone if it is large, or there are no streams.</summary>
    /// <param name="call">The call, with its key.</param>
    /// <param name="sends">Whether it is enough that the call is in the log.</param>
    /// <param name="token">The token to show; null for none.</param>
    /// <param name="patience">How long the server waits for the answer.</param>
    /// <param name="tries">What its tries have come to.</param>
    /// <param name="stop">Ends the waiting.</param>
    /// <exception cref="RpcException">There is no reply, or a refusal.</exception>
    public Task<byte[]> CallAsync(
        IngressCallRequest call, bool sends, string? token, TimeSpan patience, CallTries tries, CancellationToken stop) =>
        WithConnectionsAsync(async used =>
        {
            tries.Tries(null);
            if (call.Arguments.Length <= MostOnStream && !GoAlone()
                && await AskAmongOthersAsync(used, call, sends, token, patience, tries, stop).ConfigureAwait(false) is { } reply)
            {
                return reply;
            }

            DateTime deadline = TimeProvider.System.GetUtcNow().UtcDateTime + patience; // gRPC looks at no other clock.
            return await AskAloneAsync(
                used, sends ? IngressMethod.Send : IngressMethod.Call, call,
                new CallOptions(HeadWith(token, tries.InstanceId), deadline, stop)).ConfigureAwait(false);
        }, stop);

    private Task<byte[]> WithConnectionsAsync(Func<Connections, Task<byte[]>> ask, CancellationToken stop) => _hosts.AskAsync(
        async used => (await ask(used).ConfigureAwait(false), true),
        static error => error is RpcException failed ? StateAfter(failed) : HostState.Serves,
        () => Hosts.CountAsync(address.DnsSafeHost, stop));

    // A stream that ends in good order has not read what it has not answered, and another one takes that.
    private async Task<byte[]?> AskAmongOthersAsync(
        Connections used, IngressCallRequest call, bool sends, string? token, TimeSpan patience, CallTries tries, CancellationToken stop)
    {
        for (int streams = 0; streams < 3; streams++)
        {
            CallStream stream = used.StreamFor(token);
            bool hasLeft = true;
            try
            {
                if (await stream.AskAsync(
                    call, sends, patience, patience + s_way, tries.InstanceId, stop).ConfigureAwait(false) is { } reply)
                {
                    return reply;
                }

                hasLeft = false; // Or was not read.
            }
            catch (StreamFailedException failed)
            {
                if (failed.IsOfStreams)
                {
                    LeaveStreams();
                }

                return failed.IsUnknown ? null : throw failed.ForOne();
            }
            catch (Exception) when (stream.IsSilent)
            {
                LeaveStreams();
                throw;
            }
            finally
            {
                tries.Tries(hasLeft ? stream.InstanceId : null);
            }
        }

        return null;
    }

    private bool GoAlone()
    {
        lock (_gate)
        {
            return _alone is { } since && time.GetElapsedTime(since) < s_alone;
        }
    }

    private void LeaveStreams()
    {
        lock (_gate)
        {
            _alone = time.GetTimestamp();
        }
    }

    /// <summary>The metadata of a request.</summary>
    /// <param name="token">The token to show; null for none.</param>
    /// <param name="instanceId">The id of the instance that must answer; null for any of the name.</param>
    public static Metadata HeadWith(string? token, string? instanceId = null)
    {
        Metadata head = [];
        if (instanceId is not null)
        {
            head.Add(IngressService.InstanceIdHeader, instanceId);
        }

        if (token is not null)
        {
            head.Add("authorization", $"Bearer {token}");
        }

        return head;
    }

    /// <summary>Asks it for a stream of replies.</summary>
    public WatchedStream Watch<TRequest>(Method<TRequest, byte[]> method, TRequest request, CallOptions options)
        where TRequest : class
    {
        HostsInTurn<Connections>.Used used = _hosts.Take();
        return new WatchedStream(
            used.Connections.Invoker.AsyncServerStreamingCall(method, null, options, request),
            error => _hosts.Return(used, error is null ? HostState.Serves : StateAfter(error)));
    }

    /// <inheritdoc/>
    public void Dispose() => _hosts.Dispose();

    private static async Task<byte[]> AskAloneAsync<TRequest>(
        Connections used, Method<TRequest, byte[]> method, TRequest request, CallOptions options)
        where TRequest : class
    {
        using AsyncUnaryCall<byte[]> call = used.Invoker.AsyncUnaryCall(method, null, options, request);
        return await call.ResponseAsync.ConfigureAwait(false);
    }

    // It was reached, and does not serve, or says nothing.
    private static bool IsOfTheHost(RpcException error) => error.StatusCode == StatusCode.DeadlineExceeded
        || CallTries.IsOfTheProcess(CallTries.CodeOf(error));

    private static HostState StateAfter(RpcException error) => error.Status.DebugException?.GetBaseException() is AuthenticationException
        ? HostState.Untrusted : IsOfTheHost(error) ? HostState.Away : HostState.Serves;

    private static GrpcChannel Open(Uri address, int host, X509Certificate2Collection? authorities) =>
        GrpcChannel.ForAddress(address, new GrpcChannelOptions
        {
            HttpHandler = new SocketErrorHandler(Hosts.Open(host, authorities)),
            DisposeHttpClient = true,
            MaxReceiveMessageSize = null,
            MaxSendMessageSize = null,
        });
}
