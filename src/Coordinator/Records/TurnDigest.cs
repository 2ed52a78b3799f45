using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>
/// What the app sent while it executed one record: how many messages to which destination, a hash of the order of destinations, and a
/// checksum of the contents. Replay must send the same number to the same destinations (G4, exactly-once.md H19). Contents may differ; a
/// difference is reported (docs/internals/architecture.md).
/// </summary>
/// <param name="Lsn">The record.</param>
/// <param name="OrderHash">Hash of the sequence of destinations.</param>
/// <param name="Counts">Messages by destination, in the order of the first message.</param>
/// <param name="Contents">CRC-32C of all messages; of a reply that carries an exception only of its head, because no replay repeats a
/// stack trace. 0: not known.</param>
public sealed record TurnDigest(ulong Lsn, ulong OrderHash, List<(string Destination, int Count)> Counts, uint Contents = 0)
{
    /// <summary>Largest encoding in a record's trailer, in bytes.</summary>
    public int MaxSize => 2 * Varint.MaxSize64 + 8 + 4 + (Counts.Count * (1 + InstanceName.MaxLength + Varint.MaxSize32));


    /// <summary>Text for the report of a divergence.</summary>
    public string Describe() =>
        Counts.Count == 0 ? "nothing" : string.Join(", ", Counts.Select(c => $"{c.Count} to {c.Destination}"));
}
