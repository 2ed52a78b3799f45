using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>Replayable messages of one instance to another: what was ever generated, and how much of it was executed.</summary>
internal sealed class Connection(string from, string to)
{
    public string From => from;

    public string To => to;

    public List<ulong> Sent { get; } = [];

    /// <summary>For each of them the last message whose turn may have generated it, as far as its sender's progress tells.</summary>
    public List<MessagePosition> Through { get; } = [];

    public int Executed { get; set; }

    public override string ToString() => $"{from}->{to}";
}
