using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Sessions;

/// <summary>Small structures, written by hand.</summary>
internal static class Bytes
{
    public static byte[] Varints(params ulong[] values) => [.. values.SelectMany(static value =>
    {
        byte[] bytes = new byte[Varint.MaxSize64];
        return bytes[..Varint.Write(bytes, value)];
    })];

    /// <summary>A message of the binding link.</summary>
    public static byte[] Message(BindingMessageType type, params byte[] data)
    {
        byte[] size = new byte[Varint.MaxSize64];
        return [.. size.AsSpan(0, Varint.WriteZigZag(size, data.Length + 1)), (byte)type, .. data];
    }

    /// <summary>An RPC of kind fork in delivery form.</summary>
    public static byte[] Fork(int method) => Message(BindingMessageType.Rpc, 0, (byte)(2 * method), 1, 0x90);

    /// <summary>An impulse in delivery form.</summary>
    public static byte[] Impulse(int method) => Message(BindingMessageType.Rpc, 0, (byte)(2 * method), 2, 0x90);

    /// <summary>A frame between coordinators.</summary>
    public static byte[] Frame(FrameKind kind, byte[] body)
    {
        byte[] frame = new byte[FrameHeader.Size + body.Length];
        body.CopyTo(frame, FrameHeader.Size);
        FrameHeader.Write(frame, kind, body);
        return frame;
    }
}
