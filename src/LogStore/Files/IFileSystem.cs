namespace Ambrosia.LogStore.Files;

/// <summary>
/// The few file operations the log store is built from. Every failure is a <see cref="FileFailedException"/> that names call, path and
/// errno: none is swallowed. The operating system's implementation completes synchronously and blocks its caller's own thread.
/// </summary>
public interface IFileSystem
{
    /// <summary>
    /// Whether a lock belongs to the open file, so that it goes with it where the file is renamed, and others can share it. Else it belongs
    /// to the name.
    /// </summary>
    bool LocksFollowFiles => true;

    /// <summary>Opens a file; a symbolic link as last component is refused. New files get mode 0600.</summary>
    ValueTask<IFile> OpenAsync(string path, FileOpening opening);

    /// <summary>Makes a folder with mode 0700 and its parents; an existing one is fine. The entry is synced in its parent.</summary>
    ValueTask CreateFolderAsync(string path);

    /// <summary>Removes a folder; fine when there is none. False when something is in it.</summary>
    ValueTask<bool> DeleteFolderAsync(string path);

    /// <summary>Renames, replacing the target atomically if it exists.</summary>
    ValueTask RenameAsync(string from, string to);

    /// <summary>Renames unless the target exists; false when it does.</summary>
    ValueTask<bool> TryRenameNewAsync(string from, string to);

    /// <summary>Removes a file; false when there was none.</summary>
    ValueTask<bool> DeleteAsync(string path);

    /// <summary>
    /// The same for a file that may be long: its name goes at once, its blocks one after the other behind everybody's back where the
    /// system allows it.
    /// </summary>
    ValueTask<bool> DeleteLongAsync(string path) => DeleteAsync(path);

    /// <summary>Names of the entries of a folder in ordinal order; empty when the folder does not exist.</summary>
    ValueTask<IReadOnlyList<string>> ListAsync(string folder);

    /// <summary>Makes creations, renames and removals in a folder durable.</summary>
    ValueTask SyncFolderAsync(string folder);

    /// <summary>Status of a path; null when nothing is there.</summary>
    ValueTask<FileStatus?> StatAsync(string path);

    /// <summary>What the path lies on.</summary>
    ValueTask<VolumeStatus> VolumeAsync(string path);
}
