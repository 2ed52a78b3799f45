using System.Buffers.Binary;
using System.Runtime.Versioning;

namespace Ambrosia.LogStore.Files.Posix;

/// <summary>
/// Reads statx: 16..20 links · 20..24 owner · 28..30 type and rights · 32..40 inode · 40..48 size · 136..140 device major · 140..144
/// device minor.
/// </summary>
[SupportedOSPlatform("linux")]
internal static unsafe class PosixStatus
{
    private const int EmptyPath = 0x1000;
    private const int NoSymbolicLink = 0x100;
    private const uint BasicFields = 0x7FF;
    private const uint FolderType = 0x4000;

    /// <summary>Status of an open descriptor.</summary>
    public static FileStatus OfDescriptor(int descriptor, string path)
    {
        byte* buffer = stackalloc byte[Libc.StatxSize];
        return Libc.Statx(descriptor, "", EmptyPath, BasicFields, buffer) == 0 ? Parse(buffer)
            : throw new FileFailedException("statx", path, Libc.LastError);
    }

    /// <summary>Status of a path, or null when nothing is there.</summary>
    public static FileStatus? OfPath(string path)
    {
        byte* buffer = stackalloc byte[Libc.StatxSize];
        if (Libc.Statx(Libc.CurrentFolder, path, NoSymbolicLink, BasicFields, buffer) == 0)
        {
            return Parse(buffer);
        }

        Errno error = Libc.LastError;
        return error is Errno.ENOENT or Errno.ENOTDIR ? null : throw new FileFailedException("statx", path, error);
    }

    /// <summary>Whether the path is a folder of this process's user with exactly these rights.</summary>
    public static bool IsOwnFolder(string path, uint rights)
    {
        byte* buffer = stackalloc byte[Libc.StatxSize];
        if (Libc.Statx(Libc.CurrentFolder, path, NoSymbolicLink, BasicFields, buffer) != 0)
        {
            return false;
        }

        var fields = new ReadOnlySpan<byte>(buffer, Libc.StatxSize);
        return BinaryPrimitives.ReadUInt16LittleEndian(fields[28..]) == (FolderType | rights)
            && BinaryPrimitives.ReadUInt32LittleEndian(fields[20..]) == Libc.EffectiveUser();
    }

    private static FileStatus Parse(byte* buffer)
    {
        var fields = new ReadOnlySpan<byte>(buffer, Libc.StatxSize);
        ulong device = ((ulong)BinaryPrimitives.ReadUInt32LittleEndian(fields[136..]) << 32) | BinaryPrimitives.ReadUInt32LittleEndian(
            fields[140..]);
        return new FileStatus(device, BinaryPrimitives.ReadUInt64LittleEndian(fields[32..]),
            BinaryPrimitives.ReadUInt32LittleEndian(fields[16..]), BinaryPrimitives.ReadInt64LittleEndian(fields[40..]));
    }
}
