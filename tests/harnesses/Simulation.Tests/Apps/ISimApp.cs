namespace Ambrosia.Simulation.Tests;

/// <summary>An app in a simulated process.</summary>
internal interface ISimApp
{
    /// <summary>It acts for its instance and waits for nothing but inputs.</summary>
    bool IsIdle { get; }

    bool IsPrimary { get; }

    bool Ended { get; }

    /// <summary>Why it ended, if that was no broken connection.</summary>
    string? Trouble { get; }

    /// <summary>Code with which its coordinator refused it; empty if it did not.</summary>
    string Refusal { get; }

    AppLife Life { get; }

    /// <summary>Its process has ended itself: the kernel closes its connection behind what it had sent.</summary>
    void Vanish();

    /// <summary>From attachment to the end of the connection.</summary>
    Task RunAsync();

    /// <summary>An impulse from the outside world; ignored unless it is primary.</summary>
    void SendImpulse(string to, ulong id, int depth);
}
