using System.Runtime.InteropServices;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Posix;

namespace Ambrosia.LogStore.Tests.Processes;

/// <summary>The operating system's files; before the n-th call that changes something or looks at something the process stops.</summary>
internal sealed partial class StoppingFiles(int at) : IFileSystem
{
    private const int Stop = 19; // SIGSTOP
    private readonly PosixFileSystem _files = new();
    private int _calls;

    public async ValueTask<IFile> OpenAsync(string path, FileOpening opening) =>
        new StoppingFile(await Passed().OpenAsync(path, opening), () => Passed());

    public ValueTask CreateFolderAsync(string path) => Passed().CreateFolderAsync(path);

    public ValueTask<bool> DeleteFolderAsync(string path) => Passed().DeleteFolderAsync(path);

    public ValueTask RenameAsync(string from, string to) => Passed().RenameAsync(from, to);

    public ValueTask<bool> TryRenameNewAsync(string from, string to) => Passed().TryRenameNewAsync(from, to);

    public ValueTask<bool> DeleteAsync(string path) => Passed().DeleteAsync(path);

    public ValueTask<IReadOnlyList<string>> ListAsync(string folder) => Passed().ListAsync(folder);

    public ValueTask SyncFolderAsync(string folder) => Passed().SyncFolderAsync(folder);

    public ValueTask<FileStatus?> StatAsync(string path) => Passed().StatAsync(path);

    public ValueTask<VolumeStatus> VolumeAsync(string path) => Passed().VolumeAsync(path);

    private PosixFileSystem Passed()
    {
        if (++_calls == at)
        {
            Console.WriteLine("stops");
            _ = Kill(Environment.ProcessId, Stop);
        }

        return _files;
    }

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int process, int signal);
}
