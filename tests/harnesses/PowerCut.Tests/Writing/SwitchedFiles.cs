using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Posix;

namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>The operating system's files, with the switch around every call.</summary>
internal sealed class SwitchedFiles(PowerSwitch power) : IFileSystem
{
    private readonly PosixFileSystem _files = new();

    public ValueTask<IFile> OpenAsync(string path, FileOpening opening) =>
        power.PassAsync<IFile>("open", path, async () => new SwitchedFile(power, await _files.OpenAsync(path, opening)));

    public async ValueTask CreateFolderAsync(string path) => await power.PassAsync("mkdir", path, async () =>
    {
        await _files.CreateFolderAsync(path);
        return true;
    });

    public ValueTask<bool> DeleteFolderAsync(string path) => power.PassAsync("rmdir", path, () => _files.DeleteFolderAsync(path));

    public async ValueTask RenameAsync(string from, string to) => await power.PassAsync("rename", to, async () =>
    {
        await _files.RenameAsync(from, to);
        return true;
    });

    public ValueTask<bool> TryRenameNewAsync(string from, string to) =>
        power.PassAsync("rename", to, () => _files.TryRenameNewAsync(from, to));

    public ValueTask<bool> DeleteAsync(string path) => power.PassAsync("unlink", path, () => _files.DeleteAsync(path));

    public ValueTask<IReadOnlyList<string>> ListAsync(string folder) => power.PassAsync("list", folder, () => _files.ListAsync(folder));

    public async ValueTask SyncFolderAsync(string folder) => await power.PassAsync("fsync", folder, async () =>
    {
        await _files.SyncFolderAsync(folder);
        return true;
    });

    public ValueTask<FileStatus?> StatAsync(string path) => _files.StatAsync(path);

    public ValueTask<VolumeStatus> VolumeAsync(string path) => _files.VolumeAsync(path);
}
