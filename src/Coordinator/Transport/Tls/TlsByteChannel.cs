using System.Net.Security;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>
/// An encrypted stream as pipes see it. The ciphers find what they need and wait for nothing, so they run on the thread of the loop that
/// reads and writes; whatever they wait for themselves (records that carry no data) sends them to the runtime's threads and back, which is
/// right and slow.
/// </summary>
internal sealed class TlsByteChannel(SslStream stream, RecordStream records, Func<Exception?, IOException> lost, Action heard)
    : IByteChannel
{
    private const int PieceSize = 256 * 1024;
    private bool _mayHoldMore;

    /// <inheritdoc/>
    public async ValueTask<int> ReceiveAsync(Memory<byte> destination, CancellationToken cancellationToken)
    {
        try
        {
            if (!_mayHoldMore)
            {
                await records.WaitForRecordAsync(cancellationToken);
            }

            int received = await stream.ReadAsync(destination, cancellationToken);
            _mayHoldMore = received == destination.Length; // The stream keeps what of a record did not fit.
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
            while (first.Length + second.Length > 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
                int ofFirst = Math.Min(first.Length, PieceSize);
                int ofSecond = Math.Min(second.Length, PieceSize - ofFirst);
                records.Gather();
                await WriteAsync(first[..ofFirst]);
                await WriteAsync(second[..ofSecond]);
                await records.SendGatheredAsync(cancellationToken);
                first = first[ofFirst..];
                second = second[ofSecond..];
            }
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException)
        {
            throw lost(error);
        }
    }

    // Not cancelled half way: the other side could decipher nothing that comes after half a record.
    private ValueTask WriteAsync(ReadOnlyMemory<byte> bytes) => bytes.IsEmpty ? default : stream.WriteAsync(bytes, CancellationToken.None);
}
