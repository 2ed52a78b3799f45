namespace Ambrosia.Testing;

/// <summary>What <see cref="ImmortalTestHost.KillAsync"/> kills.</summary>
public enum Killed
{
    /// <summary>App and coordinator, as by kill -9 of both.</summary>
    Process,

    /// <summary>The app only; the coordinator goes on taking messages into the log.</summary>
    App,

    /// <summary>The coordinator only; the app ends when it notices, as it does outside of tests.</summary>
    Coordinator,

    /// <summary>The whole host, as by a power cut: of what was written to the disk but not synced an arbitrary part is lost.</summary>
    Host,
}
