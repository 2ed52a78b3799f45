using System.IO.Pipelines;

namespace Ambrosia.Coordinator.Transport;

/// <summary>
/// A byte stream in both directions. The other side's orderly end completes <see cref="IDuplexPipe.Input"/>; a lost connection shows as
/// <see cref="IOException"/> from a read or flush, or as a completed flush. One reader and one writer at a time; the owner ends its reads
/// and flushes (or calls <see cref="Abort"/> and lets them fail) before disposing. Disposing drops what was not flushed.
/// </summary>
public interface IConnection : IDuplexPipe, IAsyncDisposable
{
    /// <summary>The other side, for logs: an address, or the process behind a Unix socket.</summary>
    string Peer { get; }

    /// <summary>The instance that the other side has proven to be, by a certificate; null where nobody proves anything.</summary>
    string? ProvenName => null;

    /// <summary>
    /// Why the user of the process at the other side may not connect, as the end of a sentence; null if it may, or if the system does not
    /// say.
    /// </summary>
    string? UserObjection => null;

    /// <summary>
    /// Breaks the connection at once: pending and later reads and flushes of this side fail, those of the other side fail or end (a Unix
    /// socket has no reset, so an end in the middle of a frame is a lost connection too). From any thread, any number of times.
    /// </summary>
    void Abort();
}
