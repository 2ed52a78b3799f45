using System.Security.Cryptography.X509Certificates;
using Ambrosia.Protocol.Ingress;
using Grpc.Core;

namespace Ambrosia.Client;

/// <summary>The addresses of one immortal's coordinators, of which one serves. It is used until it fails.</summary>
internal sealed class InstanceChannel : IDisposable
{
    private readonly AddressChannel[] _addresses;
    private readonly TokenSource _token;
    private int _serving;

    public InstanceChannel(IReadOnlyList<Uri> addresses, TokenSource token, X509Certificate2Collection? authorities, TimeProvider time)
    {
        _addresses = [.. addresses.Select(address => new AddressChannel(address, authorities, time))];
        _token = token;
    }

    /// <summary>How many there are.</summary>
    public int Count => _addresses.Length;

    /// <summary>The one that is asked now.</summary>
    public int Serving => Volatile.Read(ref _serving);

    /// <summary>Asks one of them.</summary>
    /// <exception cref="RpcException">There is no reply, or a refusal.</exception>
    public async Task<byte[]> AskAsync<TRequest>(
        int address, Method<TRequest, byte[]> method, TRequest request, TimeSpan patience, CancellationToken stop)
        where TRequest : class
    {
        DateTime deadline = TimeProvider.System.GetUtcNow().UtcDateTime + patience; // gRPC looks at no other clock.
        return await ShowingAsync(AskAsync, stop).ConfigureAwait(false);

        Task<byte[]> AskAsync(string? shown) => _addresses[address].AskAsync(
            method, request, new CallOptions(AddressChannel.HeadWith(shown), deadline, stop));
    }

    /// <summary>Makes a call to one of them.</summary>
    /// <exception cref="RpcException">There is no reply, or a refusal.</exception>
    public Task<byte[]> CallAsync(
        int address, IngressCallRequest call, bool sends, TimeSpan patience, CallTries tries, CancellationToken stop) =>
        ShowingAsync(token => _addresses[address].CallAsync(call, sends, token, patience, tries, stop), stop);

    /// <summary>The token to show; null for none.</summary>
    public Task<string?> TokenAsync(CancellationToken stop) => _token.GetAsync(stop).AsTask();

    /// <summary>Asks one of them for a stream of replies.</summary>
    /// <param name="address">Which one.</param>
    /// <param name="method">What is asked.</param>
    /// <param name="request">The request.</param>
    /// <param name="token">What <see cref="TokenAsync"/> gave.</param>
    /// <param name="instanceId">The id of the instance that must answer; null for any of the name.</param>
    /// <param name="stop">Ends it.</param>
    public WatchedStream Watch<TRequest>(
        int address, Method<TRequest, byte[]> method, TRequest request, string? token, string? instanceId, CancellationToken stop)
        where TRequest : class
    {
        Metadata head = AddressChannel.HeadWith(token, instanceId);
        return _addresses[address].Watch(method, request, new CallOptions(head, cancellationToken: stop));
    }

    /// <summary>Whether there is another token than one that was refused.</summary>
    public async Task<bool> RenewAsync(string? refused, CancellationToken stop) =>
        refused is not null && await _token.RenewAsync(refused, stop).ConfigureAwait(false) is not null;

    /// <summary>One of them has failed: the next one is asked from now on, unless another call has found that already.</summary>
    public void Failed(int address) => Interlocked.CompareExchange(ref _serving, (address + 1) % _addresses.Length, address);

    // A token that is refused may have been replaced since it was read. Nothing has run.
    private async Task<byte[]> ShowingAsync(Func<string?, Task<byte[]>> ask, CancellationToken stop)
    {
        string? token = await _token.GetAsync(stop).ConfigureAwait(false);
        try
        {
            return await ask(token).ConfigureAwait(false);
        }
        catch (RpcException error) when (error.StatusCode == StatusCode.Unauthenticated && token is not null)
        {
            string? newer = await _token.RenewAsync(token, stop).ConfigureAwait(false);
            if (newer is null)
            {
                throw;
            }

            return await ask(newer).ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Array.ForEach(_addresses, static address => address.Dispose());
}
