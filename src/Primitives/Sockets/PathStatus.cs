using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ambrosia.Primitives.Sockets;

/// <summary>Owner and mode of a file, folder or link: what .NET does not tell. Read by statx: 20..24 owner · 28..30 mode.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
[SupportedOSPlatform("linux")]
public readonly record struct PathStatus(uint Owner, uint Mode)
{
    private const int Size = 256;
    private const int CurrentFolder = -100;
    private const int NoSymbolicLink = 0x100;
    private const int EmptyPath = 0x1000;
    private const uint TypeModeAndOwner = 0x1 | 0x2 | 0x8;
    private const int NothingThere = 2;
    private const int NoFolder = 20;
    private const uint TypeBits = 0xF000;

    /// <summary>True for an ordinary file.</summary>
    public bool IsFile => (Mode & TypeBits) == 0x8000;

    /// <summary>True for a folder.</summary>
    public bool IsFolder => (Mode & TypeBits) == 0x4000;

    /// <summary>True for a symbolic link.</summary>
    public bool IsLink => (Mode & TypeBits) == 0xA000;

    /// <summary>True for a socket.</summary>
    public bool IsSocket => (Mode & TypeBits) == 0xC000;

    /// <summary>True where others than the owner may make and replace files.</summary>
    public bool IsWritableByOthers => (Mode & 0x12) != 0; // g+w, o+w

    /// <summary>True where only the owner of a file, or of the folder, may replace the file.</summary>
    public bool IsSticky => (Mode & 0x200) != 0;

    /// <summary>Status of what a path names; null when there is nothing.</summary>
    /// <param name="path">The path.</param>
    /// <param name="follow">Whether a link at its end is followed.</param>
    /// <exception cref="IOException">It cannot be looked at.</exception>
    public static unsafe PathStatus? Of(string path, bool follow = false)
    {
        byte* buffer = stackalloc byte[Size];
        if (SocketCalls.Status(CurrentFolder, path, follow ? 0 : NoSymbolicLink, TypeModeAndOwner, buffer) == 0)
        {
            return Parse(buffer);
        }

        return Marshal.GetLastPInvokeError() is NothingThere or NoFolder ? null
            : throw new IOException(Marshal.GetLastPInvokeErrorMessage());
    }

    /// <summary>Status of what a descriptor stands for.</summary>
    /// <exception cref="IOException">It cannot be looked at.</exception>
    public static unsafe PathStatus Of(int descriptor)
    {
        byte* buffer = stackalloc byte[Size];
        return SocketCalls.Status(descriptor, "", EmptyPath, TypeModeAndOwner, buffer) == 0 ? Parse(buffer)
            : throw new IOException(Marshal.GetLastPInvokeErrorMessage());
    }

    private static unsafe PathStatus Parse(byte* buffer)
    {
        var fields = new ReadOnlySpan<byte>(buffer, Size);
        return new PathStatus(BinaryPrimitives.ReadUInt32LittleEndian(fields[20..]), BinaryPrimitives.ReadUInt16LittleEndian(fields[28..]));
    }
}
