using System.Security.Cryptography.X509Certificates;
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

    private static readonly TimeSpan s_between = TimeSpan.FromSeconds(1); // Many calls fail at once.
    private static readonly TimeSpan s_way = TimeSpan.FromSeconds(2); // What a reply may need, after the server has waited.
    // There may be other servers, or other things before them, by then.
    private static readonly TimeSpan s_alone = TimeSpan.FromMinutes(1);
    private readonly object _gate = new();
    private Connections? _connections;
    private long? _alone;
    private int _host;
    private bool _isDisposed;

    /// <summary>Asks it.</summary>
    /// <exception cref="RpcException">There is no reply, or a refusal.</exception>
    public Task<byte[]> AskAsync<TRequest>(Method<TRequest, byte[]> method, TRequest request, CallOptions options)
        where TRequest : class =>
        WithConnectionsAsync(used => AskAloneAsync(used, method, request, options));

    /// <summary>Makes a call there: among others on a stream, or alone if it is large, or there are no streams.</summary>
    /// <param name="call">The call, with its key.</param>
    /// <param name="sends">Whether it is enough that the call is in the log.</param>
    /// <param name="token">The token to show; null for none.</param>
    /// <param name="patience">How long the server waits for the answer.</param>
    /// <param name="stop">Ends the waiting.</param>
    /// <exception cref="RpcException">There is no reply, or a refusal.</exception>
    public Task<byte[]> CallAsync(IngressCallRequest call, bool sends, string? token, TimeSpan patience, CancellationToken stop) =>
        WithConnectionsAsync(async used =>
        {
            if (call.Arguments.Length <= MostOnStream && !GoAlone()
                && await AskAmongOthersAsync(used, call, sends, token, patience, stop).ConfigureAwait(false) is { } reply)
            {
                return reply;
            }

            DateTime deadline = TimeProvider.System.GetUtcNow().UtcDateTime + patience; // gRPC looks at no other clock.
            return await AskAloneAsync(
                used, sends ? IngressMethod.Send : IngressMethod.Call, call,
                new CallOptions(HeadWith(token), deadline, stop)).ConfigureAwait(false);
        });

    private async Task<byte[]> WithConnectionsAsync(Func<Connections, Task<byte[]>> ask)
    {
        Connections used = Take();
        try
        {
            return await ask(used).ConfigureAwait(false);
        }
        catch (RpcException error) when (IsOfTheHost(error))
        {
            Replace(used);
            throw;
        }
        finally
        {
            Return(used);
        }
    }

    // A stream that ends in good order has not read what it has not answered, and another one takes that.
    private async Task<byte[]?> AskAmongOthersAsync(
        Connections used, IngressCallRequest call, bool sends, string? token, TimeSpan patience, CancellationToken stop)
    {
        for (int tries = 0; tries < 3; tries++)
        {
            CallStream stream = used.StreamFor(token);
            try
            {
                if (await stream.AskAsync(call, sends, patience, patience + s_way, stop).ConfigureAwait(false) is { } reply)
                {
                    return reply;
                }
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
    public static Metadata HeadWith(string? token)
    {
        Metadata head = [];
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
        Connections used = Take();
        return new WatchedStream(used.Invoker.AsyncServerStreamingCall(method, null, options, request), error =>
        {
            if (error is not null && IsOfTheHost(error))
            {
                Replace(used);
            }

            Return(used);
        });
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _connections?.Dispose();
        }
    }

    private static async Task<byte[]> AskAloneAsync<TRequest>(
        Connections used, Method<TRequest, byte[]> method, TRequest request, CallOptions options)
        where TRequest : class
    {
        using AsyncUnaryCall<byte[]> call = used.Invoker.AsyncUnaryCall(method, null, options, request);
        return await call.ResponseAsync.ConfigureAwait(false);
    }

    // It was reached, and does not serve, or says nothing.
    private static bool IsOfTheHost(RpcException error) => error.StatusCode == StatusCode.DeadlineExceeded
        || error.Trailers.GetValue(IngressService.CodeTrailer) is { } code
            && (code == IngressErrors.Unavailable.Id || code == IngressErrors.NotKnownInTime.Id);

    private Connections Take()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            _connections ??= new Connections(Open(_host), time);
            _connections.Calls++;
            return _connections;
        }
    }

    private void Return(Connections used)
    {
        lock (_gate)
        {
            used.Calls--;
            DisposeIfUnused(used);
        }
    }

    // Calls that wait for their answers there go on waiting.
    private void Replace(Connections used)
    {
        lock (_gate)
        {
            if (used == _connections && time.GetElapsedTime(used.Opened) >= s_between)
            {
                _connections = null;
                _host++;
            }
        }
    }

    private void DisposeIfUnused(Connections used)
    {
        if (used.Calls == 0 && used != _connections)
        {
            used.Dispose();
        }
    }

    private GrpcChannel Open(int host) => GrpcChannel.ForAddress(address, new GrpcChannelOptions
    {
        HttpHandler = Hosts.Open(host, authorities),
        DisposeHttpClient = true,
        MaxReceiveMessageSize = null,
        MaxSendMessageSize = null,
    });
}
