using System.Globalization;
using System.Text;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Format;
using Ambrosia.Primitives;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>An entry of the file catalog, its checksum made right around whatever stands inside.</summary>
internal sealed class CatalogTarget : StoreTarget
{
    private const int RowAt = 27;

    public override string Name => "catalog";

    public override int Weight => 3;

    public override int Largest => 1024;

    public override long AllocationBase => 64 * 1024;

    public override int AllocationFactor => 64;

    public override IReadOnlyList<byte[]> Words =>
    [
        .. """null|true|{}|[]|""|-1|0|1e999|18446744073709551616|"\ud800"|"\u0000"|,|:|"instance":"bank"|"replicas":null|"replicas":[null]|"peerAddress":null|"entry":null|"version":|"number":|"role":null|"appVersion":|[[[[[[[[|{"a":""".Split('|').Select(Encoding.UTF8.GetBytes),
    ];

    public override IEnumerable<byte[]> Seeds() =>
    [
        CatalogFile.Encode(new CatalogEntry { Instance = "bank" }, 1),
        CatalogFile.Encode(new CatalogEntry { Instance = "bank", AppVersion = "1.2", PeerAddress = "tcp:10.0.0.7:4100", Epoch = 7,
            InstanceId = new string('a', 32), Generation = 2 }, ulong.MaxValue),
        CatalogFile.Encode(new CatalogEntry { Instance = "bank", Replicas = [new CatalogReplica
            { Number = 0, Address = "unix:/run/a", Role = "primary" }, new CatalogReplica { Number = 1 }] }, 3),
    ];

    public override void Repair(Span<byte> input)
    {
        if (input.Length > RowAt + 2 && input.StartsWith("{\"crc32c\":\""u8))
        {
            Encoding.ASCII.GetBytes(Crc32C.Compute(input[RowAt..^2]).ToString("x8", CultureInfo.InvariantCulture), input[11..]);
        }
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        if (CatalogFile.TryDecode(input.ToArray(), "bank") is not { } row)
        {
            return Damaged;
        }

        CatalogEntry entry = row.Entry;
        Require(entry is { Instance: "bank", AppVersion: not null, PeerAddress: not null, InstanceId: not null, Replicas: not null },
            "an entry that is read has all its texts");
        Require(entry.Replicas!.All(static replica => replica is { Address: not null, Role: not null }),
            "a replica that is read has all its texts");
        Require(CatalogFile.TryDecode(CatalogFile.Encode(entry, row.Version), "bank") is
            { } same && same.Version == row.Version && same.Entry.Replicas.SequenceEqual(entry.Replicas!)
            && same.Entry with { Replicas = entry.Replicas! } == entry, "what was written again reads as the same");
        return Accepted;
    }
}
