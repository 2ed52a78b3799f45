using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Read;

/// <summary>
/// Walks the records of one segment. A record is valid if and only if: header checksum, zeros where zeros belong, segment number, offset,
/// epoch, LSN, chain, timestamp order, durable-through below its LSN, size within the format's limit and the file, body checksum, zero
/// padding. The cursor does not judge what an invalid one means. Of records of at least <paramref name="endsFrom"/> bytes only the header
/// is checked and the body's end read, unless they lie in the buffer already.
/// </summary>
internal sealed class SegmentCursor(IStoredFile file, SegmentHeader segment, int endsFrom = int.MaxValue)
{
    /// <summary>Bytes that are read at a time.</summary>
    public const int BufferSize = 512 * 1024;

    private const int EndSize = 4096;
    private const int FirstLook = 16 * 1024;
    private readonly byte[] _mark = new byte[RecordHeader.Size];
    private byte[] _buffer = [];
    private int _readAhead = endsFrom < BufferSize ? FirstLook : BufferSize;
    private long _bufferStart;
    private int _bufferLength;
    private (uint Chain, long Timestamp) _before;

    /// <summary>The segment it walks.</summary>
    public SegmentHeader Segment { get; } = segment;

    /// <summary>Name of the file, for messages.</summary>
    public string FileName => file.Name;

    /// <summary>The open file.</summary>
    public IStoredFile File => file;

    /// <summary>Where the next record begins.</summary>
    public long Offset { get; private set; } = SegmentHeader.Size;

    /// <summary>LSN that the next record must have.</summary>
    public Lsn NextLsn { get; private set; } = segment.FirstLsn;

    /// <summary>Header checksum of the last record, which the next must repeat.</summary>
    public uint Chain { get; private set; } = segment.PreviousCrc;

    /// <summary>Timestamp of the last record.</summary>
    public long Timestamp { get; private set; } = segment.PreviousTimestamp;

    /// <summary>The record read last.</summary>
    public RecordHeader Header { get; private set; }

    /// <summary>Its body; valid until the next read. The last bytes of it, unchecked, when <see cref="IsWhole"/> is false.</summary>
    public ReadOnlyMemory<byte> Body { get; private set; }

    /// <summary>Whether the record read last was read and checked as a whole.</summary>
    public bool IsWhole { get; private set; }

    /// <summary>A cursor after the last valid record of a segment.</summary>
    public static async ValueTask<SegmentCursor> AtEndAsync(IStoredFile file, SegmentHeader segment)
    {
        var cursor = new SegmentCursor(file, segment);
        while (await cursor.TryReadAsync())
        {
        }

        return cursor;
    }

    /// <summary>Another cursor at the same place, with a view of its own on the file.</summary>
    public SegmentCursor Fork() => new(file, Segment) { Offset = Offset, NextLsn = NextLsn, Chain = Chain, Timestamp = Timestamp };

    /// <summary>
    /// Forgets bytes read ahead: another process may have written since. A follower of a live log finds little at a time and begins with a
    /// short look.
    /// </summary>
    public void Refresh() => (_bufferLength, _readAhead) = (0, FirstLook);

    /// <summary>Moves over the next record if it is valid; otherwise stays.</summary>
    public async ValueTask<bool> TryReadAsync()
    {
        if (!await FillAsync(RecordHeader.Size) || !IsHeaderValid(out RecordHeader header))
        {
            return false;
        }

        if (header.StoredSize >= endsFrom && Offset + header.StoredSize > _bufferStart + _bufferLength)
        {
            return await TryReadEndAsync(header);
        }

        if ((header.StoredSize > _bufferLength && header.StoredSize > await file.GetLengthAsync() - Offset)
            || !await FillAsync((int)header.StoredSize) || !IsBodyValid(header))
        {
            return false;
        }

        Pass(header, isWhole: true, _buffer.AsMemory((int)(Offset - _bufferStart) + RecordHeader.Size, (int)header.BodySize));
        return true;
    }

    /// <summary>Reads and checks as a whole the record that was read last. If it is not valid, the cursor stands before it again.</summary>
    public async ValueTask<bool> TryReadWholeAsync()
    {
        long next = Offset;
        Offset -= Header.StoredSize;
        if (!await FillAsync((int)Header.StoredSize) || !IsBodyValid(Header))
        {
            (NextLsn, Chain, Timestamp) = (Header.Lsn, _before.Chain, _before.Timestamp);
            return false;
        }

        (IsWhole, Body) = (true, _buffer.AsMemory((int)(Offset - _bufferStart) + RecordHeader.Size, (int)Header.BodySize));
        Offset = next;
        return true;
    }

    /// <summary>
    /// Whether the place of the next record holds zeros, or nothing at all: the mark that every append leaves behind itself.
    /// </summary>
    public async ValueTask<bool> IsAtCleanEndAsync()
    {
        byte[] mark = new byte[RecordHeader.Size];
        int read = await file.ReadAsync(mark, Offset);
        return mark.AsSpan(0, read).IndexOfAnyExcept((byte)0) < 0;
    }

    /// <summary>
    /// Whether zeros stand at the place of the next record, or nothing where segments are exactly as long as their records: the segment is
    /// being written, and nothing has come.
    /// </summary>
    public async ValueTask<bool> IsIdleAsync(bool hasExactEnd)
    {
        int read = await file.ReadAsync(_mark, Offset);
        return hasExactEnd ? read == 0 : read == _mark.Length && _mark.AsSpan().IndexOfAnyExcept((byte)0) < 0;
    }

    // One request: the body's end, and the header that follows.
    private async ValueTask<bool> TryReadEndAsync(RecordHeader header)
    {
        int size = (int)Math.Min(EndSize, header.BodySize);
        long start = Offset + RecordHeader.Size + header.BodySize - size;
        int needed = (int)(Offset + header.StoredSize - start);
        int wanted = needed + RecordHeader.Size;
        if (_buffer.Length < wanted)
        {
            _buffer = GC.AllocateUninitializedArray<byte>(BufferSize);
        }

        _bufferStart = start;
        _bufferLength = await file.ReadAsync(_buffer.AsMemory(0, wanted), start);
        if (_bufferLength < needed)
        {
            return false;
        }

        Pass(header, isWhole: false, _buffer.AsMemory(0, size));
        return true;
    }

    private void Pass(RecordHeader header, bool isWhole, ReadOnlyMemory<byte> body)
    {
        _before = (Chain, Timestamp);
        (Header, Chain, Timestamp, IsWhole, Body) = (header, header.HeaderCrc, header.Timestamp, isWhole, body);
        Offset += header.StoredSize;
        NextLsn = NextLsn.Next;
    }

    private bool IsHeaderValid(out RecordHeader header)
    {
        ReadOnlySpan<byte> bytes = _buffer.AsSpan((int)(Offset - _bufferStart), RecordHeader.Size);
        header = RecordHeader.Read(bytes);
        return RecordHeader.IsIntact(bytes)
            && header.SegmentNumber == Segment.Number
            && header.OffsetUnits == (uint)(Offset / RecordHeader.Alignment)
            && header.Epoch == Segment.Epoch
            && header.Lsn == NextLsn
            && header.PreviousCrc == Chain
            && header.Timestamp >= Timestamp
            && header.DurableThrough < header.Lsn
            && header.BodySize <= RecordHeader.LargestBody;
    }

    private bool IsBodyValid(in RecordHeader header)
    {
        ReadOnlySpan<byte> bytes =
            _buffer.AsSpan((int)(Offset - _bufferStart) + RecordHeader.Size, (int)header.StoredSize - RecordHeader.Size);
        return Crc32C.Compute(bytes[..(int)header.BodySize]) == header.BodyCrc
            && bytes[(int)header.BodySize..].IndexOfAnyExcept((byte)0) < 0;
    }

    private async ValueTask<bool> FillAsync(int needed)
    {
        int kept = (int)(_bufferStart + _bufferLength - Offset);
        if (kept < 0 || Offset < _bufferStart)
        {
            kept = 0;
        }

        if (kept >= needed)
        {
            return true;
        }

        int wanted = Math.Max(_readAhead, needed);
        _readAhead = Math.Min(BufferSize, 2 * _readAhead);
        byte[] target = wanted <= _buffer.Length ? _buffer : GC.AllocateUninitializedArray<byte>(wanted);
        _buffer.AsSpan(kept == 0 ? 0 : (int)(Offset - _bufferStart), kept).CopyTo(target);
        _buffer = target;
        (_bufferStart, _bufferLength) = (Offset, kept);
        _bufferLength += await file.ReadAsync(_buffer.AsMemory(kept, wanted - kept), Offset + kept);
        return _bufferLength >= needed;
    }
}
