using Ambrosia.Coordinator.Transport;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>What the kernel knows of a simulated app's process.</summary>
internal sealed class SimAppProcess(VirtualLoop loop, VirtualProcess process, bool tells) : IAppProcess
{
    public async ValueTask<AppEnd> EndAsync(TimeProvider time)
    {
        if (loop.Random.Next(3) == 0)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(loop.Random.Next(1, 100)), time); // The news of an end takes its time.
        }

        return !tells ? new AppEnd(AppEndCause.Unknown, "no exit status")
            : process.LastWords is not null ? new AppEnd(AppEndCause.Own, $"signal {process.ExitCode}")
            : process.Alive ? new AppEnd(AppEndCause.Unknown, "nothing") : new AppEnd(AppEndCause.Outside, "signal 9");
    }

    public bool Kill()
    {
        process.Kill();
        return true;
    }
}
