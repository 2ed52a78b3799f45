using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>Version 2: gives a destination a number for one connection. Data: varint index · string name ("" = oneself).</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct DestinationName(ulong Index, string Name)
{
    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(Index);
        writer.WriteString(Name);
    }

    /// <summary>Reads the data; valid if and only if the name is empty or an instance's and nothing follows.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static DestinationName Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        var destination = new DestinationName(reader.ReadVarint("destination index"),
            reader.ReadString(InstanceName.MaxLength, "destination name"));
        reader.ExpectEnd("destination");
        return destination.Name.Length == 0 || InstanceName.IsValid(destination.Name)
            ? destination
            : throw new ProtocolException($"'{destination.Name}' is not an instance name", 0);
    }
}
