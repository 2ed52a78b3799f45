using System.Net.Security;
using Ambrosia.Shared.Sockets;

namespace Ambrosia.ImmortalCoordinator.Transport.Tls;

/// <summary>An encrypted stream as pipes see it. Ciphers run where the runtime completes the socket; who awaits goes on in his own context.</summary>
internal sealed class StreamByteChannel(SslStream stream, Func<Exception?, IOException> lost, Action heard) : IByteChannel
{
    /// <inheritdoc/>
    public async ValueTask<int> ReceiveAsync(Memory<byte> destination, CancellationToken cancellationToken)
    {
        try
        {
            int received = await stream.ReadAsync(destination, cancellationToken);
            heard();
            return received;
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException)
        {
            throw lost(error);
        }
    }

    /// <inheritdoc/>
    public async ValueTask SendAsync(ReadOnlyMemory<byte> first, ReadOnlyMemory<byte> second, CancellationToken cancellationToken)
    {
        try
        {
            await WriteAsync(first, cancellationToken);
            await WriteAsync(second, cancellationToken);
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException)
        {
            throw lost(error);
        }
    }

    private ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken) => bytes.IsEmpty ? default : stream.WriteAsync(bytes, cancellationToken);
}
