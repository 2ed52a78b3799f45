using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Version 2: opens the data of Outputs and Impulses. Varint index of the destination · varint messages; then the messages in delivery
/// form.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct RunHeader(ulong Destination, int Count)
{
    /// <summary>Largest encoding, in bytes.</summary>
    public const int MaxSize = Varint.MaxSize64 + Varint.MaxSize32;

    /// <summary>Writes the two numbers and returns the bytes used.</summary>
    public int Write(Span<byte> destination)
    {
        int size = Varint.Write(destination, Destination);
        return size + Varint.Write(destination[size..], (ulong)Count);
    }

    /// <summary>Reads the two numbers; <paramref name="messages"/> is what follows them, neither counted nor checked yet.</summary>
    /// <exception cref="ProtocolException">A number is malformed, or the count cannot be right.</exception>
    public static RunHeader Read(in ReadOnlySequence<byte> data, out ReadOnlySequence<byte> messages)
    {
        Span<byte> prefix = stackalloc byte[2 * Varint.MaxSize64];
        int available = (int)Math.Min(data.Length, prefix.Length);
        data.Slice(0, available).CopyTo(prefix);
        var reader = new ByteReader(prefix[..available]);
        ulong destination = reader.ReadVarint("destination index");
        // A message takes at least two bytes, so the count cannot exceed half of what is there.
        int count = reader.ReadLength((int)Math.Min(int.MaxValue, data.Length / 2), "message count");
        messages = data.Slice(reader.Offset);
        return new RunHeader(destination, count);
    }
}
