using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Format;
using Ambrosia.Primitives;

namespace Ambrosia.CrashPoints.Tests.States;

/// <summary>Equal for disks with the same names and contents; what tells states apart that are counted.</summary>
internal static class DiskHash
{
    public static ulong Of(MemoryFileSystem disk)
    {
        ulong hash = 14695981039346656037;
        byte[] chunk = new byte[64 * 1024];
        foreach ((string path, MemoryInode inode) in disk.Folders.Files.OrderBy(file => file.Key, StringComparer.Ordinal))
        {
            foreach (char c in path)
            {
                hash = (hash ^ c) * 1099511628211;
            }

            hash = (hash ^ (ulong)inode.Content.Length) * 1099511628211;
            for (long offset = 0; offset < inode.Content.Length; offset += chunk.Length)
            {
                int read = inode.Content.Read(chunk, offset);
                hash = (hash ^ Crc32C.Compute(chunk.AsSpan(0, read))) * 1099511628211;
            }
        }

        return hash;
    }
}
