using System.Runtime.Versioning;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.LogStore.Files.Posix;

/// <summary>
/// What is left of a long file when its name is gone. A file system frees all blocks of a deleted file in one go, and one that tells its
/// device of each lets every sync wait meanwhile, those of the log too: most of a second for a gigabyte. So the file is kept open and made
/// shorter in pieces. If the process ends before, the kernel frees the rest.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class PosixRemains : IDisposable
{
    private const long Piece = 1 << 20;
    private readonly string _path;
    private readonly long _length;
    private int _descriptor;

    private PosixRemains(int descriptor, string path, long length) => (_descriptor, _path, _length) = (descriptor, path, length);

    /// <summary>Opens a file that is about to be deleted; null if it is short, or cannot be opened: deleting it will say why.</summary>
    public static PosixRemains? Keep(string path)
    {
        int descriptor = Libc.Open(path, Libc.ReadWrite | Libc.CloseOnExec | Libc.NoFollow, 0);
        if (descriptor < 0)
        {
            return null;
        }

        try
        {
            var remains = new PosixRemains(descriptor, path, PosixStatus.OfDescriptor(descriptor, path).Length);
            if (remains._length > Piece)
            {
                return remains;
            }
        }
        catch (FileFailedException)
        {
            // Then it is deleted like any other.
        }

        _ = Libc.Close(descriptor);
        return null;
    }

    /// <summary>The name is gone. A reader of the file, or another name for it, keeps it as it was.</summary>
    public void LetGo()
    {
        if (IsOurs())
        {
            (int descriptor, _descriptor) = (_descriptor, -1);
            BackgroundThread.Start("removal", () => Shrink(descriptor));
        }
    }

    public void Dispose()
    {
        if (_descriptor >= 0)
        {
            _ = Libc.Close(_descriptor);
        }
    }

    // A lease is given to a process that alone has the file open. It is given back at once: without a name no other can open it.
    private bool IsOurs() => PosixStatus.OfDescriptor(_descriptor, _path).Links == 0
        && Libc.Control(_descriptor, Libc.SetLease, Libc.WriteLease) == 0 && Libc.Control(_descriptor, Libc.SetLease, Libc.NoLease) == 0;

    private void Shrink(int descriptor)
    {
        // Whatever fails here, closing frees what is left.
        for (long left = _length - Piece; left > 0 && Libc.Truncate(descriptor, left) == 0 && Libc.SyncData(descriptor) == 0; left -= Piece)
        {
        }

        _ = Libc.Close(descriptor);
    }
}
