namespace Ambrosia.LogStore.Catalog;

/// <summary>Where an instance lives, as its primary last said. A cache: log and handshakes have the last word.</summary>
public sealed record CatalogEntry
{
    /// <summary>Name of the instance.</summary>
    public required string Instance { get; init; }

    /// <summary>Version of the app that serves; empty when unknown.</summary>
    public string AppVersion { get; init; } = "";

    /// <summary>
    /// Address of the primary's peer listener, such as <c>10.0.0.7:4100</c> or <c>unix:/run/a.sock</c>; empty while there is none.
    /// </summary>
    public string PeerAddress { get; init; } = "";

    /// <summary>
    /// Where a gateway reaches the primary's address for calls from outside, such as <c>http://10.0.0.7:8080</c>; empty if it takes none,
    /// or was written by a build that does not say it.
    /// </summary>
    public string IngressAddress { get; init; } = "";

    /// <summary>Epoch of the primary.</summary>
    public ulong Epoch { get; init; }

    /// <summary>Identity of its log in 32 hexadecimal digits; empty before the first start.</summary>
    public string InstanceId { get; init; } = "";

    /// <summary>Grows when an instance is erased and made again under its name, so that peers believe the new identity.</summary>
    public ulong Generation { get; init; }

    /// <summary>All replicas, the primary included.</summary>
    public IReadOnlyList<CatalogReplica> Replicas { get; init; } = [];
}
