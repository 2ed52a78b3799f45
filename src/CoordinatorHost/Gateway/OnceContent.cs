using System.Net;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// The body of one try, which is sent once. The client library sends a request again by itself when a connection that it had kept open
/// turns out to be closed, also where the other side may have acted on it. Here the second time fails, so that only the gateway decides
/// (outside-calls.md X22). A request without a body has an empty one, for the same reason.
/// </summary>
internal sealed class OnceContent(ReadOnlyMemory<byte> body) : HttpContent
{
    private int _started;

    /// <summary>
    /// Whether a byte of the request may have left: its head leaves with the first byte of its body, or says that one follows.
    /// </summary>
    public bool Started => Volatile.Read(ref _started) > 0;

    /// <inheritdoc/>
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    /// <inheritdoc/>
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken) =>
        Interlocked.Increment(ref _started) == 1 ? stream.WriteAsync(body, cancellationToken).AsTask()
            : throw new IOException("the connection was closed while the request was on its way");

    /// <inheritdoc/>
    protected override bool TryComputeLength(out long length)
    {
        length = body.Length;
        return true;
    }
}
