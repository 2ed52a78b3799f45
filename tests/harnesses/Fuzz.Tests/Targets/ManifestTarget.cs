using System.Buffers.Binary;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Format;
using Ambrosia.Primitives;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>A copy of the manifest.</summary>
internal sealed class ManifestTarget : StoreTarget
{
    public override string Name => "manifests";

    public override int Weight => 6;

    public override IEnumerable<byte[]> Seeds() => [Of(0), Of(1), Of(2), Of(9)];

    public override void Repair(Span<byte> input)
    {
        if (input.Length >= 12)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(input[8..], Crc32C.Compute(input[12..]));
        }
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        if (ManifestContent.TryRead(input.Span, "manifest.0") is not { } content)
        {
            return Damaged;
        }

        byte[] again = content.ToBytes();
        Require(again.Length == input.Length && again.AsSpan(12, 44).SequenceEqual(input.Span.Slice(12, 44))
            && again.AsSpan(64).SequenceEqual(input.Span[64..]), "every field is read and written");
        return Accepted;
    }

    private static byte[] Of(int checkpoints) =>
        new ManifestContent(new InstanceId(1, 2), 7, 3, new Epoch(4), [.. Enumerable.Range(0, checkpoints)
            .Select(static n => new ManifestEntry(new Lsn(100 - (ulong)n), new Epoch(2), 4096 + n))]).ToBytes();
}
