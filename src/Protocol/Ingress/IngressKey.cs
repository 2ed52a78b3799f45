using System.Buffers;

namespace Ambrosia.Protocol.Ingress;

/// <summary>What makes a call from outside the same call each time that it is sent: <c>Key</c> of
/// <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="Text">A UUIDv7, a ULID, or a name of the caller's own.</param>
/// <param name="Made">When it was made, in milliseconds since 1970; 0 if the text says it.</param>
/// <param name="Number">The number of the call in a session; 0 or 1 for a key of one call.</param>
/// <param name="Low">The caller is done with all calls of the session up to this number.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct IngressKey(string Text, ulong Made, ulong Number, ulong Low)
{
    /// <summary>The id of the instance that the call is for; null for any of its name.</summary>
    public string? InstanceId { get; init; }

    /// <summary>Appends it as a field of a message.</summary>
    internal void Write(ProtoWriter output, int field)
    {
        var bytes = new ArrayBufferWriter<byte>(64);
        var writer = new ProtoWriter(bytes);
        writer.Text(1, Text);
        writer.Number(2, Made);
        writer.Number(3, Number);
        writer.Number(4, Low);
        writer.Text(5, InstanceId ?? "");
        output.Bytes(field, bytes.WrittenSpan, always: true);
    }

    internal static IngressKey Read(ReadOnlySpan<byte> source)
    {
        var reader = new ProtoReader(source);
        (string text, ulong made, ulong number, ulong low) = ("", 0UL, 0UL, 0UL);
        string? instanceId = null;
        while (reader.TryNext(out ProtoField field))
        {
            switch (field.Id)
            {
                case -1:
                    text = reader.Text(field);
                    break;
                case 2:
                    made = field.Value;
                    break;
                case 3:
                    number = field.Value;
                    break;
                case 4:
                    low = field.Value;
                    break;
                case -5:
                    instanceId = reader.Text(field);
                    break;
            }
        }

        return new IngressKey(text, made, number, low) { InstanceId = instanceId };
    }
}
