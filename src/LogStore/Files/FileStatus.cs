namespace Ambrosia.LogStore.Files;

/// <summary>Identity and size of a file: device and inode tell whether a path still names the file that is open.</summary>
public readonly record struct FileStatus(ulong Device, ulong Inode, uint Links, long Length)
{
    /// <summary>Whether both describe the same file on disk.</summary>
    public bool IsSameFile(FileStatus other) => Device == other.Device && Inode == other.Inode;
}
