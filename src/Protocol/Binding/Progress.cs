namespace Ambrosia.Protocol;

/// <summary>
/// Version 2: end of turns. Data: varint LSN · varint messages of that record done · flags. All Outputs since the previous
/// Progress belong to turns that have ended and may leave the machine (docs/internals/exactly-once.md H8).
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct Progress(ulong Lsn, int MessagesDone, bool RecordComplete)
{
    /// <summary>Largest encoding of the data, in bytes.</summary>
    public const int MaxSize = Varint.MaxSize64 + Varint.MaxSize32 + 1;

    /// <summary>Writes the data and returns the bytes used.</summary>
    public int Write(Span<byte> destination)
    {
        int size = Varint.Write(destination, Lsn);
        size += Varint.Write(destination[size..], (ulong)MessagesDone);
        destination[size++] = RecordComplete ? (byte)1 : (byte)0;
        return size;
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static Progress Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        var progress = new Progress(
            reader.ReadVarint("progress LSN"), reader.ReadLength(int.MaxValue, "progress index"),
            (reader.ReadByte("progress flags") & 1) != 0);
        reader.ExpectEnd("progress");
        return progress;
    }
}
