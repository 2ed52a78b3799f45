namespace Ambrosia.ImmortalCoordinator.Ingest;

/// <summary>
/// What the app sent while it executed one record: how many messages to whom, and a hash of the order of destinations. Replay
/// must send the same (G4, PROTOCOL H19); contents may differ.
/// </summary>
internal sealed record TurnDigest(ulong Lsn, ulong OrderHash, List<(string Destination, int Count)> Counts)
{
    /// <summary>Text for the report of a divergence.</summary>
    public string Describe() =>
        Counts.Count == 0 ? "nothing" : string.Join(", ", Counts.Select(c => $"{c.Count} to {c.Destination}"));
}
