using Ambrosia.CoordinatorHost;

namespace Ambrosia.ImmortalCoordinator.Fate;

/// <summary>
/// The embedded coordinator's life line: its owner holds the other end of its standard input and never writes. The kernel closes it
/// however the owner dies, SIGKILL included, so that no coordinator outlives its app by more than a second.
/// </summary>
public static class OwnerPipe
{
    /// <summary>Time after the owner's end within which the process has to be gone.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromMilliseconds(800);

    /// <summary>Ends when the stream has ended, and then has asked to stop. What is written to it is ignored.</summary>
    public static async Task WatchAsync(Stream input, StopRequest stop)
    {
        byte[] ignored = new byte[256];
        try
        {
            while (await input.ReadAsync(ignored) > 0)
            {
            }
        }
        catch (IOException)
        {
            // A life line that cannot be read is cut.
        }

        stop.Ask("its owner has ended", Limit);
    }
}
