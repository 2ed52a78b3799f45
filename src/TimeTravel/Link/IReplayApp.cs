using System.IO.Pipelines;

namespace Ambrosia.TimeTravel.Link;

/// <summary>An app that is replayed into: a process, or an object in this one.</summary>
public interface IReplayApp : IAsyncDisposable
{
    /// <summary>What it is, for messages.</summary>
    string Description { get; }

    /// <summary>
    /// A connection to a fresh immortal of the app, which speaks first. The one before must have been closed. A process stays the same, so
    /// that a debugger that is attached to it stays attached.
    /// </summary>
    /// <exception cref="ReplayException">The app did not connect, or has ended.</exception>
    Task<IDuplexPipe> ConnectAsync(CancellationToken cancellationToken);

    /// <summary>
    /// The next connection is to lead to an app that was started for it, as after a crash. The one before must have been closed. An object
    /// of this process has nothing to renew.
    /// </summary>
    Task RenewAsync();

    /// <summary>Why it ended, if it has; null while it lives or when nobody can know.</summary>
    Task<string?> DeathRecordAsync();
}
