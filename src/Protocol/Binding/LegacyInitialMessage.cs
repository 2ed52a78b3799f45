namespace Ambrosia.Protocol;

/// <summary>
/// AMBROSIA's published client protocol: the first message of an app's life is any bytes, which the app gets back in a message of the same
/// type. In the log it is a fork of <see cref="ReservedMethods.InitialMessage"/> whose arguments are those bytes.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class LegacyInitialMessage
{
    private static readonly byte[] s_head = MakeHead();

    /// <summary>The message as it is logged, from the data that the app gave.</summary>
    public static byte[] ToDeliveryForm(ReadOnlySpan<byte> data)
    {
        int size = 1 + s_head.Length + data.Length;
        int prefix = Varint.SizeZigZag(size);
        byte[] message = new byte[prefix + size];
        Varint.WriteZigZag(message, size);
        message[prefix] = (byte)BindingMessageType.Rpc;
        s_head.CopyTo(message, prefix + 1);
        data.CopyTo(message.AsSpan(prefix + 1 + s_head.Length));
        return message;
    }

    /// <summary>
    /// True if the data of an RPC in delivery form is a logged initial message; then <paramref name="data"/> is what the app gave.
    /// </summary>
    public static bool TryRead(ReadOnlySpan<byte> rpc, out ReadOnlySpan<byte> data)
    {
        bool found = rpc.StartsWith(s_head);
        data = found ? rpc[s_head.Length..] : default;
        return found;
    }

    private static byte[] MakeHead()
    {
        Span<byte> head = stackalloc byte[RpcHeader.LargestCall];
        return head[..RpcHeader.WriteCall(head, ReservedMethods.InitialMessage, RpcKind.Fork)].ToArray();
    }
}
