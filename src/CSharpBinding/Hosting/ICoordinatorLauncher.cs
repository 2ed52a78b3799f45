using System.IO.Pipelines;

namespace Ambrosia.Hosting;

/// <summary>
/// Another way to a coordinator than a process beside the app. When a host's services hold one, its immortals use it, except those that
/// are told a socket.
/// </summary>
public interface ICoordinatorLauncher
{
    /// <summary>
    /// Starts the coordinator of one immortal, serves the immortal over a connection to it, and ends with whichever of the two ends first.
    /// </summary>
    /// <param name="options">What the app was told.</param>
    /// <param name="serve">Serves the immortal over the connection.</param>
    /// <param name="stop">Ends both in order.</param>
    /// <exception cref="CoordinatorUnavailableException">The coordinator could not be started.</exception>
    Task RunAsync(ImmortalOptions options, Func<IDuplexPipe, CancellationToken, Task> serve, CancellationToken stop);
}
