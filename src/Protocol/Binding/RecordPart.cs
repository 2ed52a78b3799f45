namespace Ambrosia.Protocol;

/// <summary>
/// Version 2, feature <see cref="BindingFeatures.Parts"/>: the RecordInfo that follows announces only a part of its record. Data: varint
/// index of the part's first message · flags (bit 0: more of the record follows). This is how a debugger stops inside a record: (LSN,
/// index) stay what they are.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct RecordPart(int FirstIndex, bool MoreFollows)
{
    /// <summary>Largest encoding of the data, in bytes.</summary>
    public const int MaxSize = Varint.MaxSize32 + 1;

    /// <summary>Writes the data and returns the bytes used.</summary>
    public int Write(Span<byte> destination)
    {
        int size = Varint.Write(destination, (ulong)FirstIndex);
        destination[size++] = MoreFollows ? (byte)1 : (byte)0;
        return size;
    }

    /// <summary>Reads the data; valid if and only if the index is below 2^31 and nothing follows.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static RecordPart Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        var part = new RecordPart(reader.ReadLength(int.MaxValue, "part index"), (reader.ReadByte("part flags") & 1) != 0);
        reader.ExpectEnd("part");
        return part;
    }
}
