using System.Buffers.Binary;

namespace Ambrosia.Protocol;

/// <summary>
/// Version 2: announces one log record to the binding. Data: u64 LSN · u64 epoch under which it was logged · i64 timestamp
/// (100 ns ticks, UTC) · varint RPC messages in it · varint payload bytes that follow this message · flags.
/// LogTime and Random derive from it, so it must be the same for each process that executes the record.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct RecordInfo(ulong Lsn, ulong Epoch, long Timestamp, int MessageCount, int PayloadSize, byte Flags)
{
    /// <summary>Flag: the record was durable before this app attached.</summary>
    public const byte Replay = 1;

    /// <summary>
    /// Flag: the record comes in steps; each turn is announced by <see cref="TurnRunning"/> and its end reported at once.
    /// </summary>
    public const byte InSteps = 2;

    /// <summary>Flag: no app has executed the record, so any build may; only with <see cref="BindingFeatures.Builds"/>.</summary>
    public const byte Unexecuted = 4;

    /// <summary>Largest encoding of the data, in bytes.</summary>
    public const int MaxSize = 24 + 2 * Varint.MaxSize32 + 1;

    /// <summary>Writes the data and returns the bytes used.</summary>
    public int Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(destination, Lsn);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[8..], Epoch);
        BinaryPrimitives.WriteInt64LittleEndian(destination[16..], Timestamp);
        int size = 24 + Varint.Write(destination[24..], (ulong)MessageCount);
        size += Varint.Write(destination[size..], (ulong)PayloadSize);
        destination[size++] = Flags;
        return size;
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static RecordInfo Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        var info = new RecordInfo(
            reader.ReadUInt64("record LSN"),
            reader.ReadUInt64("record epoch"),
            (long)reader.ReadUInt64("record timestamp"),
            reader.ReadLength(int.MaxValue, "record message count"),
            reader.ReadLength(int.MaxValue, "record payload size"),
            reader.ReadByte("record flags"));
        reader.ExpectEnd("record info");
        return info;
    }
}
