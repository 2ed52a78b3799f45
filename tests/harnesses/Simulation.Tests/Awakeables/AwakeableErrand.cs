namespace Ambrosia.Simulation.Tests;

/// <summary>An awakeable, as an observer knows it.</summary>
/// <param name="instance">Whose it is.</param>
/// <param name="id">By which the observer knows it.</param>
/// <param name="text">How its instance has named it.</param>
internal sealed class AwakeableErrand(string instance, ulong id, string text)
{
    /// <summary>Whose it is.</summary>
    public string Instance => instance;

    /// <summary>By which the observer knows it.</summary>
    public ulong Id => id;

    /// <summary>How its instance has named it.</summary>
    public string Text => text;

    /// <summary>What who waited for it got; null before.</summary>
    public ulong? Came { get; set; }

    /// <summary>What somebody was told was taken; null before.</summary>
    public ulong? Taken { get; set; }

    /// <summary>What somebody has tried to complete it with.</summary>
    public HashSet<ulong> Sent { get; } = [];

    /// <summary>How many ask now.</summary>
    public int Asking { get; set; }

    /// <summary>One of the values that somebody may complete it with.</summary>
    public ulong Value(int number) => Bits.Mix(id, 0xA3A4_0000 + (ulong)number);
}
