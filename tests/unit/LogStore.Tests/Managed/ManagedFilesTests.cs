using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Managed;

namespace Ambrosia.LogStore.Tests.Managed;

/// <summary>What the log store relies on in files, where the system's own calls are not made.</summary>
public sealed class ManagedFilesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-managed-").FullName;
    private readonly ManagedFileSystem _files = new();

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_lock_is_one_openings_at_a_time_and_goes_with_it_and_its_file_can_be_read_meanwhile()
    {
        IFile first = await _files.OpenAsync(At("lock"), FileOpening.ReadWriteOrCreate);
        Assert.True(await first.TryLockAsync());
        await first.WriteAsync("holder"u8.ToArray(), 0);
        await using IFile second = await _files.OpenAsync(At("lock"), FileOpening.ReadWriteOrCreate);
        Assert.False(await second.TryLockAsync());
        byte[] text = new byte[10];
        Assert.Equal(6, await second.ReadAsync(text, 0));
        using var never = new CancellationTokenSource();
        Task cancelled = second.LockAsync(never.Token).AsTask();
        await never.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        Task waiting = second.LockAsync(CancellationToken.None).AsTask();
        Assert.False(waiting.IsCompleted);
        await first.DisposeAsync();
        await waiting.WaitAsync(TimeSpan.FromMinutes(1));
        await using IFile third = await _files.OpenAsync(At("lock"), FileOpening.Read);
        Assert.False(await third.TryLockAsync());
        Assert.Equal(["lock"], await _files.ListAsync(_folder));
    }

    [Fact]
    public async Task Looking_whether_a_file_is_locked_that_never_was_makes_nothing()
    {
        await File.WriteAllTextAsync(At("lock"), "");
        await using IFile file = await _files.OpenAsync(At("lock"), FileOpening.Read);
        Assert.True(await file.TryLockAsync());
        Assert.Single(Directory.EnumerateFileSystemEntries(_folder));
    }

    [Fact]
    public async Task Files_and_folders_are_this_users_alone()
    {
        await _files.CreateFolderAsync(At("a/b"));
        await using IFile file = await _files.OpenAsync(At("a/b/c"), FileOpening.CreateNew);
        Assert.True(await file.TryLockAsync());
        const UnixFileMode Owner = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        Assert.Equal(Owner, File.GetUnixFileMode(At("a/b/c")));
        Assert.Equal(Owner, File.GetUnixFileMode(At("a/b/c.held")));
        Assert.Equal(Owner | UnixFileMode.UserExecute, File.GetUnixFileMode(At("a/b")));
    }

    [Fact] // .NET reports success when fsync failed, but not when a write did.
    public async Task What_is_written_goes_through_to_the_device_by_itself()
    {
        const int Synchronous = 0x101000; // O_SYNC
        await using IFile written = await _files.OpenAsync(At("written"), FileOpening.CreateNew);
        string descriptor = Assert.Single(Directory.EnumerateFiles("/proc/self/fd"), path =>
            new FileInfo(path).LinkTarget == At("written"));
        string flags = (await File.ReadAllLinesAsync($"/proc/self/fdinfo/{Path.GetFileName(descriptor)}"))
            .Single(static line => line.StartsWith("flags:", StringComparison.Ordinal));
        Assert.Equal(Synchronous, Convert.ToInt32(flags[6..].Trim(), 8) & Synchronous);
    }

    [Fact]
    public async Task Every_failure_names_call_path_and_errno()
    {
        Assert.Equal(Errno.ENOENT, (await FailsAsync(async () => await _files.OpenAsync(At("no"), FileOpening.Read))).Error);
        Assert.Equal(Errno.ENOENT, (await FailsAsync(async () => await _files.OpenAsync(At("no/no"), FileOpening.CreateNew))).Error);
        Assert.Equal(Errno.ENOENT, (await FailsAsync(async () => await _files.RenameAsync(At("no"), At("yes")))).Error);
        await File.WriteAllTextAsync(At("here"), "x");
        Assert.Equal(Errno.ENOTDIR, (await FailsAsync(async () => await _files.OpenAsync(At("here/a/b"), FileOpening.Read))).Error);
        FileFailedException exists = await FailsAsync(async () => await _files.OpenAsync(At("here"), FileOpening.CreateNew));
        Assert.Equal((Errno.EEXIST, "open", At("here")), (exists.Error, exists.Call, exists.Path));
        File.CreateSymbolicLink(At("link"), At("here"));
        Assert.Equal(Errno.ELOOP, (await FailsAsync(async () => await _files.OpenAsync(At("link"), FileOpening.Read))).Error);
        await using IFile full = await _files.OpenAsync("/dev/full", FileOpening.ReadWrite);
        Assert.Equal(Errno.ENOSPC, (await FailsAsync(async () => await full.WriteAsync(new byte[10], 0))).Error);
    }

    [Fact]
    public async Task Names_are_changed_and_removed_as_asked()
    {
        await File.WriteAllTextAsync(At("one"), "1");
        await File.WriteAllTextAsync(At("two"), "2");
        Assert.False(await _files.TryRenameNewAsync(At("one"), At("two")));
        Assert.Equal("2", await File.ReadAllTextAsync(At("two")));
        Assert.True(await _files.TryRenameNewAsync(At("one"), At("three")));
        await _files.RenameAsync(At("three"), At("two"));
        Assert.Equal("1", await File.ReadAllTextAsync(At("two")));
        Assert.Equal(1, (await _files.StatAsync(At("two")))!.Value.Length);
        Assert.False(await _files.DeleteFolderAsync(_folder));
        Assert.True(await _files.DeleteAsync(At("two")));
        Assert.False(await _files.DeleteAsync(At("two")));
        Assert.Null(await _files.StatAsync(At("two")));
        Assert.True(await _files.DeleteFolderAsync(At("never")));
        Assert.Empty(await _files.ListAsync(At("never")));
    }

    [Fact]
    public async Task The_volume_of_a_folder_is_known()
    {
        VolumeStatus volume = await _files.VolumeAsync(_folder);
        Assert.False(volume.IsNetwork);
        Assert.True(volume.FreeBytes > 0);
        Assert.NotEmpty(volume.Type);
    }

    [Theory]
    [InlineData(2, Errno.ENOENT)]
    [InlineData(32, Errno.EAGAIN)]
    [InlineData(33, Errno.EAGAIN)]
    [InlineData(112, Errno.ENOSPC)]
    [InlineData(39, Errno.ENOSPC)]
    [InlineData(80, Errno.EEXIST)]
    [InlineData(183, Errno.EEXIST)]
    [InlineData(145, Errno.ENOTEMPTY)]
    [InlineData(1117, Errno.EIO)]
    public void Error_numbers_of_Windows_are_told_as_those_of_Linux(int code, Errno expected) =>
        Assert.Equal(expected, ManagedErrors.OfWindows(code));

    [Theory]
    [InlineData(35, Errno.EAGAIN)]
    [InlineData(66, Errno.ENOTEMPTY)]
    [InlineData(69, Errno.EDQUOT)]
    [InlineData(28, Errno.ENOSPC)]
    public void Error_numbers_of_macOS_are_told_as_those_of_Linux(int code, Errno expected) =>
        Assert.Equal(expected, ManagedErrors.OfMac(code));

    private static Task<FileFailedException> FailsAsync(Func<Task> act) => Assert.ThrowsAsync<FileFailedException>(act);

    private string At(string name) => Path.Combine(_folder, name);
}
