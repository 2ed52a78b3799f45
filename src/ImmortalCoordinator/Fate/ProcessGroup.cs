namespace Ambrosia.ImmortalCoordinator.Fate;

/// <summary>Process group of an embedded coordinator.</summary>
internal static class ProcessGroup
{
    /// <summary>
    /// Leaves the owner's group: Ctrl+C at a terminal goes to a whole group, and the app is to end first, while its coordinator still
    /// serves it. Failing is harmless: then this process leads its group already. Elsewhere than on Linux it stays, and does not heed
    /// Ctrl+C instead:
    /// <see cref="ProcessSignals"/>.
    /// </summary>
    public static void Leave()
    {
        if (Platform.UsesLinuxCalls)
        {
            _ = ProcessCalls.SetProcessGroup(0, 0);
        }
    }
}
