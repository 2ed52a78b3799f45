using System.Text;

namespace Ambrosia.Protocol.Tests.Support;

/// <summary>Composes messages the slow and obvious way.</summary>
internal static class Messages
{
    /// <summary>Any message.</summary>
    public static byte[] Message(byte type, byte[] data) => [.. ZigZag(1 + data.Length), type, .. data];

    /// <summary>The data of an RPC in delivery form.</summary>
    public static byte[] RpcData(RpcForm form, int method, RpcKind kind, string caller, long number, byte[] body)
    {
        byte[] name = Encoding.UTF8.GetBytes(caller);
        byte[] tail = (form, kind) switch
        {
            (RpcForm.Call, RpcKind.Async) => [.. ZigZag(name.Length), .. name, .. ZigZag(number)],
            (RpcForm.Call, _) => [],
            _ => ZigZag(number),
        };
        return [(byte)form, .. ZigZag(method), (byte)kind, .. tail, .. body];
    }

    /// <summary>A fork in delivery form.</summary>
    public static byte[] Fork(int method, byte[] body) => Message(0, RpcData(RpcForm.Call, method, RpcKind.Fork, "", 0, body));

    /// <summary>An impulse in delivery form.</summary>
    public static byte[] Impulse(int method, byte[] body) => Message(0, RpcData(RpcForm.Call, method, RpcKind.Impulse, "", 0, body));

    /// <summary>A zig-zag number.</summary>
    public static byte[] ZigZag(long value)
    {
        byte[] room = new byte[Varint.MaxSize64];
        return room[..Varint.WriteZigZag(room, value)];
    }
}
