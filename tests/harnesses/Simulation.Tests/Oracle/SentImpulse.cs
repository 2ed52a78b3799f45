namespace Ambrosia.Simulation.Tests;

/// <summary>An impulse that an app handed to its coordinator.</summary>
internal sealed class SentImpulse(AppLife life, string to, int number)
{
    public AppLife Life => life;

    public string To => to;

    /// <summary>Its place among the impulses of that life.</summary>
    public int Number => number;

    public bool Executed { get; set; }
}
