using Ambrosia.LogStore.Errors;

namespace Ambrosia.LogStore.Storage;

/// <summary>The exclusive right to append to one log. Disposing gives it back.</summary>
public interface ILogLease : IAsyncDisposable
{
    /// <summary>Its holder, for messages.</summary>
    string Holder { get; }

    /// <summary>
    /// Fires when the lease is lost or can no longer be proved. A file lock is never lost this way; leases of services are.
    /// </summary>
    CancellationToken Lost { get; }

    /// <summary>
    /// Says that the holder moves, for a lock that a process which has been stopped keeps. A lease that lapses by itself needs no such
    /// word.
    /// </summary>
    ValueTask BeatAsync() => default;

    /// <summary>
    /// Throws <see cref="LeaseLostException"/> when the lease cannot be proved any more, or what says that the store has forgotten it.
    /// </summary>
    ValueTask VerifyAsync();

    /// <summary>As <see cref="VerifyAsync"/>, by a proof that is asked for after this call: what was known before does not count.</summary>
    ValueTask ProveAfreshAsync() => VerifyAsync();
}
