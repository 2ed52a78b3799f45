using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>A call from outside, as an observer knows it.</summary>
/// <param name="instance">Who is called.</param>
/// <param name="id">By which everybody knows it.</param>
/// <param name="key">Its key; null if it has none.</param>
internal sealed class OutsideErrand(string instance, ulong id, OutsideKey? key)
{
    /// <summary>Who is called.</summary>
    public string Instance => instance;

    /// <summary>By which everybody knows it.</summary>
    public ulong Id => id;

    /// <summary>Its key; null if it has none.</summary>
    public OutsideKey? Key => key;

    /// <summary>Where it stands in the log; null before anybody has executed it.</summary>
    public MessagePosition? Place { get; set; }

    /// <summary>What its turn answers; null before that has ended.</summary>
    public ulong? Answer { get; set; }

    /// <summary>Somebody was told something that is true only if it is durable.</summary>
    public bool IsCertain { get; set; }

    /// <summary>Somebody was told that it will never run, unless it has by then.</summary>
    public bool IsRefused { get; set; }

    /// <summary>What somebody was told is its answer; null before.</summary>
    public ulong? Told { get; set; }
}
