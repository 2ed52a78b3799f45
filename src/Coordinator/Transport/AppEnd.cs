namespace Ambrosia.Coordinator.Transport;

/// <summary>How an app's process ended, as far as anybody can tell.</summary>
/// <param name="Cause">Whose doing it was.</param>
/// <param name="Text">In words, for people.</param>
public readonly record struct AppEnd(AppEndCause Cause, string Text)
{
    private static readonly int[] s_outside = [1, 2, 3, 9, 15]; // Hang-up, interrupt, quit, kill, terminate: somebody else's.

    /// <summary>From a wait status, as wait(2) returns it.</summary>
    public static AppEnd OfWaitStatus(int status)
    {
        int signal = status & 0x7F;
        return signal == 0
            ? new AppEnd(AppEndCause.Own, $"exit code {(status >> 8) & 0xFF}")
            : new AppEnd(s_outside.Contains(signal) ? AppEndCause.Outside : AppEndCause.Own, $"signal {signal}");
    }
}
