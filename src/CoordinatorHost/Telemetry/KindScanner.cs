using System.Runtime.CompilerServices;
using Ambrosia.Protocol;

namespace Ambrosia.CoordinatorHost.Telemetry;

/// <summary>
/// Walks a run of messages that has been checked, and tells awaited calls from all others by three bytes of each: every message of a traced
/// coordinator passes here.
/// </summary>
internal ref struct KindScanner(ReadOnlySpan<byte> messages)
{
    private readonly ReadOnlySpan<byte> _messages = messages;
    private int _next;

    /// <summary>Type of the present message.</summary>
    public BindingMessageType Type { get; private set; }

    /// <summary>Whether it is a call whose caller waits for a reply.</summary>
    public bool IsAwaited { get; private set; }

    /// <summary>Its data, without size and type.</summary>
    public ReadOnlySpan<byte> Data { get; private set; }

    /// <summary>Advances to the next message; false at the end.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        if (_next >= _messages.Length)
        {
            return false;
        }

        ReadOnlySpan<byte> rest = _messages[_next..];
        int prefix = 1;
        long size = rest[0] >> 1; // Most sizes are one byte.
        if (rest[0] >= 0x80)
        {
            Varint.TryReadZigZag(rest, out size, out prefix);
        }

        Type = (BindingMessageType)rest[prefix];
        Data = rest.Slice(prefix + 1, (int)size - 1);
        _next += prefix + (int)size;
        IsAwaited = Type == BindingMessageType.Rpc && Data[0] == (byte)RpcForm.Call && KindOf(Data) == (byte)RpcKind.Async;
        return true;
    }

    // Behind the method's id, of whose bytes all but the last have their highest bit set.
    private static byte KindOf(ReadOnlySpan<byte> call)
    {
        int at = 1;
        while (call[at] >= 0x80)
        {
            at++;
        }

        return call[at + 1];
    }
}
