using System.Runtime.InteropServices;

namespace Ambrosia.Primitives.Sockets;

/// <summary>struct msghdr of 64-bit Linux, without address and control data.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
[StructLayout(LayoutKind.Sequential)]
public readonly unsafe struct MessageParts(MessageParts.Part* parts, nuint count)
{
    private readonly nint _name;
    private readonly nint _nameLength;
    private readonly Part* _parts = parts;
    private readonly nuint _count = count;
    private readonly nint _control;
    private readonly nint _controlLength;
    private readonly nint _flags;

    /// <summary>struct iovec.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public readonly struct Part(byte* start, nuint length)
    {
        private readonly byte* _start = start;
        private readonly nuint _length = length;
    }
}
