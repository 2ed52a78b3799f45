using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>
/// What recovery needs of a record, behind the payload in its body: varint format · varint messages · inputs (string name, 16 bytes sender
/// id, varints total, replayable, sender epoch) · runs (varints input index, messages, bytes; in payload order) · trims (string
/// destination, varints number, receiver epoch, 16 bytes receiver id) · turns (varint LSN, u64 hash of the destination order, format 4:
/// u32 checksum of the contents, counts by destination) · from format 2: marks of messages that kill · from format 3: upgrades · format 4:
/// varint largest message from here on, 0 as before · format 5: builds · format 6: drops (string destination, varint number) · format 7:
/// calls from outside (<see cref="OutsideMarks"/>) · format 8: the key of awakeables (<see cref="AwakeableKey"/>) · 4 added to the format:
/// u32 CRC-32C of all this, LSN and epoch · u32 size of all this without itself. Lists are preceded by varint counts, which the bytes that
/// are there bound. Format 4 is written, 5 if a build begins, 6 if outputs are dropped, 7 if there are calls from outside with a key, 8 if
/// awakeables are named otherwise from here on; all are read.
/// </summary>
public sealed class RecordTrailer : RecordMarks
{
    public const ulong Format = 8;
    private const ulong FormatWithOutside = 7;
    private const ulong FormatWithDrops = 6;
    private const ulong FormatWithBuilds = 5;
    private const ulong FormatWithLimits = 4;
    private const ulong FormatWithUpgrades = 3;
    private const ulong FormatWithPoison = 2;
    private const ulong OldestFormat = 1;
    private const ulong WithChecksum = 4; // Added to the format: the trailer ends with a checksum of its own.
    private const int ChecksumSize = 4;

    /// <summary>Splits a body into payload and trailer.</summary>
    /// <exception cref="ProtocolException">The trailer does not fit its body; the record's checksum was right, so another build wrote
    /// it.</exception>
    public static RecordTrailer Read(ReadOnlyMemory<byte> body, out ReadOnlyMemory<byte> payload)
    {
        ReadOnlySpan<byte> span = body.Span;
        if (span.Length < 4)
        {
            throw new ProtocolException("record body without trailer", 0);
        }

        uint size = BinaryPrimitives.ReadUInt32LittleEndian(span[^4..]);
        if (size > (uint)span.Length - 4)
        {
            throw new ProtocolException($"record trailer of {size} bytes exceeds its body", span.Length - 4);
        }

        int start = span.Length - 4 - (int)size;
        payload = body[..start];
        var trailer = new RecordTrailer();
        trailer.ReadFrom(span.Slice(start, (int)size));
        return trailer;
    }

    /// <summary>
    /// Reads the trailer of record <paramref name="lsn"/> out of the last bytes of its body, which nobody has checked. Null: they do not
    /// hold it all, or its own checksum does not confirm it, or an earlier build wrote it without one; the record must be read as a whole.
    /// </summary>
    public static RecordTrailer? TryReadEnd(ReadOnlySpan<byte> end, Lsn lsn, Epoch epoch)
    {
        uint size = end.Length < 4 ? 0 : BinaryPrimitives.ReadUInt32LittleEndian(end[^4..]);
        if (size < 1 + ChecksumSize || size > (uint)end.Length - 4)
        {
            return null;
        }

        ReadOnlySpan<byte> span = end.Slice(end.Length - 4 - (int)size, (int)size);
        if (span[0] is < (byte)(OldestFormat + WithChecksum) or > (byte)(Format + WithChecksum)
            || BinaryPrimitives.ReadUInt32LittleEndian(span[^ChecksumSize..]) != Checksum(span[..^ChecksumSize], lsn, epoch))
        {
            return null;
        }

        var trailer = new RecordTrailer();
        trailer.ReadFrom(span);
        return trailer;
    }

    // With the record's place in history: what a lost write left of an older record must not be taken for this one's.
    private static uint Checksum(ReadOnlySpan<byte> trailer, Lsn lsn, Epoch epoch)
    {
        Span<byte> place = stackalloc byte[16];
        BinaryPrimitives.WriteUInt64LittleEndian(place, lsn.Value);
        BinaryPrimitives.WriteUInt64LittleEndian(place[8..], epoch.Value);
        return Crc32C.Continue(Crc32C.Compute(trailer), place);
    }

    /// <summary>Reads only what the app needs, the number of messages, without touching the lists.</summary>
    public static int ReadMessageCount(ReadOnlyMemory<byte> body, out ReadOnlyMemory<byte> payload)
    {
        ReadOnlySpan<byte> span = body.Span;
        int size = (int)BinaryPrimitives.ReadUInt32LittleEndian(span[^4..]);
        int start = span.Length - 4 - size;
        payload = body[..start];
        var reader = new ByteReader(span.Slice(start, size));
        reader.ReadVarint("trailer format");
        return (int)reader.ReadVarint("trailer messages");
    }

    /// <summary>Largest encoding of what the context of a page has gathered, in bytes.</summary>
    public static int MaxSize(RecordMarks context)
    {
        int size = 128 + ChecksumSize + context.Inputs.Count * (64 + 16 + 3 * Varint.MaxSize64) + context.Runs.Count * 3 * Varint.MaxSize32
            + context.Trims.Count * (64 + 16 + 2 * Varint.MaxSize64) + context.Poison.Count * QuarantineStep.MaxSize
            + context.Upgrades.Count * VersionChange.MaxSize
            + context.Builds.Count * BuildStep.MaxSize + context.Drops.Count * (64 + Varint.MaxSize64) + (context.Outside?.MaxSize ?? 0)
            + (context.Awakeables is null ? 0 : OutsideMarks.MaxEmptySize + AwakeableKey.MaxSize);
        foreach (TurnDigest turn in context.Turns)
        {
            size += turn.MaxSize;
        }

        return size;
    }

    /// <summary>Writes the trailer of a page that becomes record <paramref name="lsn"/> and returns the bytes used.</summary>
    public static int Write(RecordMarks context, Span<byte> destination, Lsn lsn, Epoch epoch)
    {
        var writer = new SpanWriter(destination);
        writer.Varint(WithChecksum + FormatOf(context));
        writer.Varint((ulong)context.MessageCount);
        writer.Varint((ulong)context.Inputs.Count);
        foreach (InputWatermark input in context.Inputs)
        {
            writer.Text(input.Name);
            writer.Id(input.SenderId);
            writer.Varint(input.Watermark.Total);
            writer.Varint(input.Watermark.Replayable);
            writer.Varint(input.Watermark.SenderEpoch);
        }

        writer.Varint((ulong)context.Runs.Count);
        foreach (InputRun run in context.Runs)
        {
            writer.Varint((ulong)run.InputIndex);
            writer.Varint((ulong)run.Messages);
            writer.Varint((ulong)run.Bytes);
        }

        writer.Varint((ulong)context.Trims.Count);
        foreach (TrimPoint trim in context.Trims)
        {
            writer.Text(trim.Destination);
            writer.Varint(trim.Number);
            writer.Varint(trim.ReceiverEpoch);
            writer.Id(trim.ReceiverId);
        }

        WriteTurns(ref writer, context.Turns);
        WriteDecisions(ref writer, context);
        writer.Varint((ulong)context.LargestMessage);
        WriteBuilds(ref writer, context);
        if (FormatOf(context) >= FormatWithDrops)
        {
            WriteDrops(ref writer, context.Drops);
        }

        WriteOutside(ref writer, context);

        writer.UInt32(Checksum(destination[..writer.Length], lsn, epoch));
        BinaryPrimitives.WriteInt32LittleEndian(destination[writer.Length..], writer.Length);
        return writer.Length + 4;
    }

    private static void WriteTurns(ref SpanWriter writer, List<TurnDigest> turns)
    {
        writer.Varint((ulong)turns.Count);
        foreach (TurnDigest turn in turns)
        {
            writer.Varint(turn.Lsn);
            writer.UInt64(turn.OrderHash);
            writer.UInt32(turn.Contents);
            writer.Varint((ulong)turn.Counts.Count);
            foreach ((string destination, int count) in turn.Counts)
            {
                writer.Text(destination);
                writer.Varint((ulong)count);
            }
        }
    }

    private static void WriteDrops(ref SpanWriter writer, List<DropPoint> drops)
    {
        writer.Varint((ulong)drops.Count);
        foreach (DropPoint drop in drops)
        {
            writer.Text(drop.Destination);
            writer.Varint(drop.Number);
        }
    }

    // Nearly no record has any: then nothing is allocated for them.
    private static void WriteDecisions(ref SpanWriter writer, RecordMarks context)
    {
        if (context.Poison.Count + context.Upgrades.Count == 0)
        {
            writer.Varint(0);
            writer.Varint(0);
            return;
        }

        var bytes = new ArrayBufferWriter<byte>();
        new ByteWriter(bytes).WriteVarint((ulong)context.Poison.Count);
        context.Poison.ForEach(mark => mark.Write(bytes));
        UpgradeHistory.WriteList(bytes, context.Upgrades);
        writer.Bytes(bytes.WrittenSpan);
    }

    private static void WriteBuilds(ref SpanWriter writer, RecordMarks context)
    {
        if (FormatOf(context) >= FormatWithBuilds)
        {
            var bytes = new ArrayBufferWriter<byte>();
            BuildStep.WriteList(bytes, context.Builds);
            writer.Bytes(bytes.WrittenSpan);
        }
    }

    private static void WriteOutside(ref SpanWriter writer, RecordMarks context)
    {
        if (FormatOf(context) >= FormatWithOutside)
        {
            var bytes = new ArrayBufferWriter<byte>();
            (context.Outside ?? new OutsideMarks()).Write(bytes);
            context.Awakeables?.Write(bytes);
            writer.Bytes(bytes.WrittenSpan);
        }
    }

    private static ulong FormatOf(RecordMarks context) =>
        context.Awakeables is not null ? Format
            : context.Outside is not null ? FormatWithOutside
            : context.Drops.Count > 0 ? FormatWithDrops
            : context.Builds.Count > 0 ? FormatWithBuilds
            : FormatWithLimits;

    private void ReadFrom(ReadOnlySpan<byte> span)
    {
        bool hasChecksum = !span.IsEmpty && span[0] > WithChecksum;
        var reader = new ByteReader(hasChecksum ? span[..^Math.Min(span.Length, ChecksumSize)] : span);
        ulong format = reader.ReadVarint("trailer format") - (hasChecksum ? WithChecksum : 0);
        if (format is < OldestFormat or > Format)
        {
            throw new ProtocolException($"record trailer of format {format}; this build reads {OldestFormat} to {Format}", 0);
        }

        MessageCount = reader.ReadLength(int.MaxValue, "trailer messages");
        for (int n = reader.ReadCount("trailer inputs"); n > 0; n--)
        {
            string name = reader.ReadString(InstanceName.MaxLength, "input name");
            Guid id = reader.ReadGuid("input sender id");
            Inputs.Add(new InputWatermark(name, id, new Watermark(
                reader.ReadVarint("input total"), reader.ReadVarint("input replayable"), reader.ReadVarint("input sender epoch"))));
        }

        for (int n = reader.ReadCount("trailer runs"); n > 0; n--)
        {
            Runs.Add(new InputRun(
                reader.ReadLength(Math.Max(0, Inputs.Count - 1), "run input"), reader.ReadLength(int.MaxValue, "run messages"),
                reader.ReadLength(int.MaxValue, "run bytes")));
        }

        for (int n = reader.ReadCount("trailer trims"); n > 0; n--)
        {
            Trims.Add(new TrimPoint(
                reader.ReadName("trim destination"), reader.ReadVarint("trim number"),
                reader.ReadVarint("trim receiver epoch"), reader.ReadGuid("trim receiver id")));
        }

        ReadTurns(ref reader, hasContents: format >= FormatWithLimits);
        for (int n = format >= FormatWithPoison ? reader.ReadCount("trailer marks") : 0; n > 0; n--)
        {
            Poison.Add(QuarantineStep.Read(ref reader));
        }

        Upgrades.AddRange(format >= FormatWithUpgrades ? UpgradeHistory.ReadList(ref reader) : []);
        LargestMessage = format >= FormatWithLimits ? reader.ReadLength(int.MaxValue, "trailer largest message") : 0;
        Builds.AddRange(format >= FormatWithBuilds ? BuildStep.ReadList(ref reader) : []);
        for (int n = format >= FormatWithDrops ? reader.ReadCount("trailer drops") : 0; n > 0; n--)
        {
            Drops.Add(new DropPoint(reader.ReadName("drop destination"), reader.ReadVarint("drop number")));
        }

        OutsideMarks? outside = format >= FormatWithOutside ? OutsideMarks.Read(ref reader) : null;
        Awakeables = format >= Format ? AwakeableKey.Read(ref reader) : null;
        Outside = outside is { IsEmpty: true } && Awakeables is not null ? null : outside;
        reader.ExpectEnd("record trailer");
    }

    private void ReadTurns(ref ByteReader reader, bool hasContents)
    {
        for (int n = reader.ReadCount("trailer turns"); n > 0; n--)
        {
            ulong lsn = reader.ReadVarint("turn LSN");
            ulong hash = reader.ReadUInt64("turn hash");
            uint contents = hasContents ? reader.ReadUInt32("turn contents") : 0;
            int destinations = reader.ReadCount("turn destinations");
            var counts = new List<(string, int)>(Math.Min(destinations, 16));
            for (; destinations > 0; destinations--)
            {
                counts.Add((reader.ReadName("turn destination"), reader.ReadLength(int.MaxValue, "turn count")));
            }

            Turns.Add(new TurnDigest(lsn, hash, counts, contents));
        }
    }

    /// <summary>Writes into a span whose size was computed before.</summary>
    private ref struct SpanWriter(Span<byte> destination)
    {
        private readonly Span<byte> _destination = destination;

        public int Length { get; private set; }

        public void Varint(ulong value) => Length += Protocol.Varint.Write(_destination[Length..], value);

        public void Bytes(ReadOnlySpan<byte> value)
        {
            value.CopyTo(_destination[Length..]);
            Length += value.Length;
        }

        public void UInt32(uint value)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(_destination[Length..], value);
            Length += 4;
        }

        public void UInt64(ulong value)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(_destination[Length..], value);
            Length += 8;
        }

        public void Id(Guid value)
        {
            value.TryWriteBytes(_destination[Length..]);
            Length += 16;
        }

        public void Text(string value)
        {
            int size = Encoding.UTF8.GetBytes(value, _destination[(Length + 1)..]);
            // Names are at most 63 bytes, so their length is one byte.
            _destination[Length] = (byte)size;
            Length += 1 + size;
        }
    }
}
