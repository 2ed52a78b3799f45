namespace Ambrosia.Protocol;

/// <summary>
/// AMBROSIA's published client protocol: the data of a reply, as bindings of the original write and read it. Form (1 to 3) · zig-zag length
/// and UTF-8 of the name of the instance that replies · zig-zag call number · value. Where the delivery form has its kind, 1, this one has
/// the first byte of a name, or of a positive number: they cannot be confused.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct LegacyReply
{
    private LegacyReply(RpcForm form, ReadOnlySpan<byte> sender, long callNumber, ReadOnlySpan<byte> value)
    {
        Form = form;
        Sender = sender;
        CallNumber = callNumber;
        Value = value;
    }

    /// <summary>What is replied.</summary>
    public RpcForm Form { get; }

    /// <summary>UTF-8 name of the instance that replies; may be empty.</summary>
    public ReadOnlySpan<byte> Sender { get; }

    /// <summary>Number that ties the reply to its call.</summary>
    public long CallNumber { get; }

    /// <summary>Value or exception, in the form that the two apps know.</summary>
    public ReadOnlySpan<byte> Value { get; }

    /// <summary>True if the data of an RPC is a reply in this form, false if it is in delivery form, or no reply.</summary>
    public static bool Is(ReadOnlySpan<byte> rpc) =>
        rpc.Length > 0 && rpc[0] is not (byte)RpcForm.Call
        && Varint.TryReadZigZag(rpc[1..], out _, out int prefix) && rpc.Length > 1 + prefix && rpc[1 + prefix] != (byte)RpcKind.Fork;

    /// <summary>
    /// Reads the data of an RPC that <see cref="Is"/> one; valid if and only if the form is 1 to 3, the name is empty or an instance's, and
    /// the number is there.
    /// </summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static LegacyReply Read(ReadOnlySpan<byte> rpc)
    {
        var reader = new ByteReader(rpc);
        byte form = reader.ReadByte("reply form");
        if (form is < (byte)RpcForm.Value or > (byte)RpcForm.Exception)
        {
            throw new ProtocolException($"reply of form {form}", 0);
        }

        long length = reader.ReadZigZag("length of the replier's name");
        if (length is < 0 or > InstanceName.MaxLength)
        {
            throw new ProtocolException($"replier's name of {length} bytes", 1);
        }

        ReadOnlySpan<byte> sender = reader.ReadBytes((int)length, "replier's name");
        if (!sender.IsEmpty && !InstanceName.IsValid(sender))
        {
            throw new ProtocolException("the instance that replies has no name", reader.Offset);
        }

        long number = reader.ReadZigZag("reply call number");
        return new LegacyReply((RpcForm)form, sender, number, reader.Rest);
    }

    /// <summary>The reply in delivery form, size and type in front. This form does not name the method: the id is 0.</summary>
    public byte[] ToDeliveryForm()
    {
        Span<byte> head = stackalloc byte[3 + Varint.MaxSize64];
        head[0] = (byte)Form;
        head[1] = 0;
        head[2] = (byte)RpcKind.Fork;
        int size = 3 + Varint.WriteZigZag(head[3..], CallNumber);
        int prefix = Varint.SizeZigZag(1 + size + Value.Length);
        byte[] message = new byte[prefix + 1 + size + Value.Length];
        Varint.WriteZigZag(message, 1 + size + Value.Length);
        message[prefix] = (byte)BindingMessageType.Rpc;
        head[..size].CopyTo(message.AsSpan(prefix + 1));
        Value.CopyTo(message.AsSpan(prefix + 1 + size));
        return message;
    }

    /// <summary>The data of a reply in this form, from one in delivery form.</summary>
    /// <param name="reply">A reply.</param>
    /// <param name="sender">UTF-8 name of the instance that replies.</param>
    public static byte[] FromDeliveryForm(RpcHeader reply, ReadOnlySpan<byte> sender)
    {
        Span<byte> head = stackalloc byte[1 + Varint.MaxSize32 + InstanceName.MaxLength + Varint.MaxSize64];
        head[0] = (byte)reply.Form;
        int size = 1 + Varint.WriteZigZag(head[1..], sender.Length);
        sender.CopyTo(head[size..]);
        size += sender.Length;
        size += Varint.WriteZigZag(head[size..], reply.CallNumber);
        return [.. head[..size], .. reply.Body];
    }
}
