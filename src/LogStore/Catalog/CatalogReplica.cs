namespace Ambrosia.LogStore.Catalog;

/// <summary>One replica of an instance.</summary>
public sealed record CatalogReplica
{
    /// <summary>Number of the replica, from 0.</summary>
    public required int Number { get; init; }

    /// <summary>Address of its peer listener, or empty.</summary>
    public string Address { get; init; } = "";

    /// <summary>primary, secondary or checkpointer.</summary>
    public string Role { get; init; } = "";
}
