using System.Buffers.Binary;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.Primitives;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>
/// Records behind a segment's header. Whatever is there, what is read is what a writer could have written: in order, chained, each in its
/// place. Of the rest the search for proof says whether it is damage or an interrupted write.
/// </summary>
internal sealed class RecordsTarget : StoreTarget
{
    private static readonly SegmentHeader s_segment = new()
    {
        InstanceId = new InstanceId(1, 2), Number = 3, Epoch = new Epoch(4), FirstLsn = new Lsn(10), PreviousTimestamp = 100,
            PreviousCrc = 0xABCD, CreatedAt = 5, Instance = "bank", Cluster = "",
    };

    private readonly BytesFile _file = new();
    private readonly byte[] _bytes = new byte[SegmentHeader.Size + 4096];

    public RecordsTarget() => s_segment.ToBytes().CopyTo(_bytes, 0);

    public override string Name => "records";

    public override int Weight => 1;

    public override int Largest => 4096;

    // The cursor reads ahead by half a MiB and the search by one, whatever the file's size.
    public override long AllocationBase => 3 << 20;

    public override IEnumerable<byte[]> Seeds() =>
        [Chain(0), Chain(0, 0, 0), Chain(5, 0, 1, 100, 8, 0), Chain(64, 63, 65, 1), Chain(700, 700, 0, 700), []];

    public override void Repair(Span<byte> input)
    {
        uint chain = s_segment.PreviousCrc;
        for (int at = 0; at + RecordHeader.Size <= input.Length;)
        {
            Span<byte> header = input.Slice(at, RecordHeader.Size);
            int size = (int)Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(header[8..]), (uint)(input.Length - at - RecordHeader.Size));
            BinaryPrimitives.WriteUInt32LittleEndian(header[4..], Crc32C.Compute(input.Slice(at + RecordHeader.Size, size)));
            BinaryPrimitives.WriteUInt32LittleEndian(header[56..], chain);
            chain = Crc32C.Compute(header[4..]);
            BinaryPrimitives.WriteUInt32LittleEndian(header, chain);
            at += (int)RecordHeader.StoredSizeOf(size);
        }
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        input.CopyTo(_bytes.AsMemory(SegmentHeader.Size));
        _file.Bytes = _bytes.AsMemory(0, SegmentHeader.Size + input.Length);
        var cursor = new SegmentCursor(_file, s_segment);
        byte[] again = new byte[RecordHeader.Size];
        (Lsn lsn, long at, uint chain) = (s_segment.FirstLsn, SegmentHeader.Size, s_segment.PreviousCrc);
        while (Now.Of(cursor.TryReadAsync()))
        {
            RecordHeader header = cursor.Header;
            chain = (header with
                { BodyCrc = Crc32C.Compute(cursor.Body.Span), PreviousCrc = chain, Lsn = lsn, OffsetUnits = (uint)(at / 8) }).Write(again);
            Require(_file.Bytes.Span.Slice((int)at, RecordHeader.Size).SequenceEqual(again),
                "a record that is read is one that a writer could have written at this place");
            Require(_file.Bytes.Span.Slice((int)at + RecordHeader.Size, cursor.Body.Length).SequenceEqual(cursor.Body.Span),
                "its body is what the file holds");
            at += header.StoredSize;
            lsn = lsn.Next;
        }

        Require(cursor.Offset == at && cursor.NextLsn == lsn && at <= _file.Bytes.Length, "the cursor stands after the last record");
        bool clean = Now.Of(cursor.IsAtCleanEndAsync());
        long? proof = Now.Of(TailScan.FindProofAsync(_file, s_segment, at, lsn));
        Require(proof is null || (proof >= at && proof % RecordHeader.Alignment == 0 && proof + RecordHeader.Size <= _file.Bytes.Length),
            "a proof lies behind the place, within the file");
        return proof is not null ? "damage: a later record proves the missing one durable" : clean ? Accepted : "interrupted write";
    }

    private static byte[] Chain(params int[] bodies)
    {
        var bytes = new List<byte>();
        uint chain = s_segment.PreviousCrc;
        for (int i = 0; i < bodies.Length; i++)
        {
            byte[] body = [.. Enumerable.Range(1, bodies[i]).Select(static n => (byte)n)];
            byte[] stored = new byte[RecordHeader.StoredSizeOf(body.Length)];
            body.CopyTo(stored, RecordHeader.Size);
            Lsn lsn = new(s_segment.FirstLsn.Value + (ulong)i);
            chain = new RecordHeader(0, Crc32C.Compute(body), (uint)body.Length, 1, 0, lsn, s_segment.Epoch, 100 + i, lsn.Previous,
                s_segment.Number, chain, (uint)((SegmentHeader.Size + bytes.Count) / 8)).Write(stored);
            bytes.AddRange(stored);
        }

        return [.. bytes, .. new byte[64]];
    }
}
