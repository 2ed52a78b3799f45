using System.Net.Sockets;

namespace Ambrosia.Primitives.Sockets;

/// <summary>A socket as the runtime offers it, on every operating system.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class SystemByteChannel(Socket socket, Func<string?, IOException> lost) : IByteChannel
{
    /// <inheritdoc/>
    public async ValueTask<int> ReceiveAsync(Memory<byte> destination, CancellationToken cancellationToken)
    {
        try
        {
            return await socket.ReceiveAsync(destination, SocketFlags.None, cancellationToken);
        }
        catch (Exception error) when (error is SocketException or ObjectDisposedException)
        {
            throw lost(SocketFailure.Of(error));
        }
    }

    /// <inheritdoc/>
    public async ValueTask SendAsync(ReadOnlyMemory<byte> first, ReadOnlyMemory<byte> second, CancellationToken cancellationToken)
    {
        try
        {
            await SendAllAsync(first, cancellationToken);
            await SendAllAsync(second, cancellationToken);
        }
        catch (Exception error) when (error is SocketException or ObjectDisposedException)
        {
            throw lost(SocketFailure.Of(error));
        }
    }

    private async ValueTask SendAllAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        while (bytes.Length > 0)
        {
            bytes = bytes[await socket.SendAsync(bytes, SocketFlags.None, cancellationToken)..];
        }
    }
}
