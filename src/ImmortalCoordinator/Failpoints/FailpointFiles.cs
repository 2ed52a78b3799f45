using Ambrosia.LogStore.Files;

namespace Ambrosia.ImmortalCoordinator.Failpoints;

/// <summary>
/// The failpoints of the log store, seen from outside: which file is written, synced, renamed or deleted tells where it is. Stands in
/// front of the real files only while a failpoint is armed.
/// </summary>
public sealed class FailpointFiles(IFileSystem files) : IFileSystem
{
    private string? _freshSegment;

    public bool LocksFollowFiles => files.LocksFollowFiles;

    public async ValueTask<IFile> OpenAsync(string path, FileOpening opening) =>
        new FailpointFile(await files.OpenAsync(path, opening), this);

    public ValueTask CreateFolderAsync(string path) => files.CreateFolderAsync(path);

    public ValueTask<bool> DeleteFolderAsync(string path) => files.DeleteFolderAsync(path);

    public async ValueTask RenameAsync(string from, string to)
    {
        if (IsCheckpoint(to))
        {
            Failpoint.Pass("K16");
        }

        await files.RenameAsync(from, to);
        if (IsCheckpoint(to))
        {
            Failpoint.Pass("K17");
        }
        else if (Path.GetFileName(to).StartsWith("manifest.", StringComparison.Ordinal))
        {
            Failpoint.Pass("K18");
        }
        else if (IsSegment(from))
        {
            Failpoint.Pass("K19");
        }
    }

    public async ValueTask<bool> TryRenameNewAsync(string from, string to)
    {
        bool renamed = await files.TryRenameNewAsync(from, to);
        if (renamed && IsSegment(to))
        {
            _freshSegment = to;
            Failpoint.Pass("K13");
        }

        return renamed;
    }

    public async ValueTask<bool> DeleteAsync(string path)
    {
        bool deleted = await files.DeleteAsync(path);
        if (deleted && (IsSegment(path) || IsCheckpoint(path)))
        {
            Failpoint.Pass("K19");
        }

        return deleted;
    }

    public ValueTask<IReadOnlyList<string>> ListAsync(string folder) => files.ListAsync(folder);

    public ValueTask SyncFolderAsync(string folder) => files.SyncFolderAsync(folder);

    public ValueTask<FileStatus?> StatAsync(string path) => files.StatAsync(path);

    public ValueTask<VolumeStatus> VolumeAsync(string path) => files.VolumeAsync(path);

    internal static bool IsSegment(string path) => path.EndsWith(".seg", StringComparison.Ordinal);

    internal static bool IsCheckpointBeingWritten(string path) => path.EndsWith(".ckpt.tmp", StringComparison.Ordinal);

    /// <summary>True once for each new segment: its first record was written.</summary>
    internal bool TakeFresh(string path) => Interlocked.CompareExchange(ref _freshSegment, null, path) == path;

    private static bool IsCheckpoint(string path) => path.EndsWith(".ckpt", StringComparison.Ordinal);
}
