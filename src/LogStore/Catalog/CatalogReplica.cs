using System.Text.Json.Serialization;

namespace Ambrosia.LogStore.Catalog;

/// <summary>One replica of an instance.</summary>
public sealed record CatalogReplica
{
    /// <summary>The word for the one that serves.</summary>
    public const string Primary = "primary";

    /// <summary>The word for one that follows.</summary>
    public const string Secondary = "secondary";

    /// <summary>Number of the replica, from 0.</summary>
    public required int Number { get; init; }

    /// <summary>Address of its peer listener, or empty.</summary>
    public string Address { get; init; } = "";

    /// <summary>primary, secondary or checkpointer.</summary>
    // A text, for a word of a later build must stay what it is when an earlier one writes the entry.
    public string Role { get; init; } = "";

    /// <summary>Whether it serves.</summary>
    [JsonIgnore]
    public bool IsPrimary => Role == Primary;
}
