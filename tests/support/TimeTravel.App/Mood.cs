using System.Diagnostics.CodeAnalysis;

namespace TimeTravelApp;

/// <summary>What belongs to the process: no replay brings it back.</summary>
[SuppressMessage("Ambrosia", "AMB109",
    Justification = "The replay has to find what is not deterministic, and the analyzers must let it pass for that.")]
public static class Mood
{
    /// <summary>What a dice is when nobody says otherwise.</summary>
    public static Fickleness Default { get; set; }

    /// <summary>Rolls of all dice of this process.</summary>
    public static long Rolled { get; private set; }

    /// <summary>One more.</summary>
    public static void Count() => Rolled++;
}
