using System.Net;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>The body of a stream of calls: what is written while its answer is read. It is begun once, as that of one call.</summary>
/// <param name="write">Writes it, until there is no more.</param>
internal sealed class StreamedContent(Func<Stream, Task> write) : HttpContent
{
    private int _started;

    /// <summary>Whether a byte of the request may have left.</summary>
    public bool Started => Volatile.Read(ref _started) > 0;

    /// <inheritdoc/>
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        Interlocked.Increment(ref _started) == 1 ? write(stream)
            : throw new IOException("the connection was closed while the stream began");

    /// <inheritdoc/>
    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }
}
