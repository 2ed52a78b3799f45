using System.Globalization;

namespace Ambrosia.LogStore.Storage;

/// <summary>Names of the locks beside a log, by which replicas share out what only one of them may do; docs/operate/replicas.md.</summary>
public static class NamedLeases
{
    /// <summary>Its holder makes the checkpoints, and may write them without the right to append.</summary>
    public const string Checkpointer = "checkpointer";

    /// <summary>Its holder asks to become the primary.</summary>
    public const string Successor = "successor";

    /// <summary>Whether the holder of this lease may write checkpoints: a store proves the lease before it keeps one.</summary>
    public static bool GuardsCheckpoints(string name) => name == Checkpointer;

    /// <summary>The place of one replica.</summary>
    public static string Replica(int number) => $"replica.{number.ToString(CultureInfo.InvariantCulture)}";
}
