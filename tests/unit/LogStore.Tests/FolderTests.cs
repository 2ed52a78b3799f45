using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Posix;

namespace Ambrosia.LogStore.Tests;

/// <summary>Folders that cannot be made.</summary>
public sealed class FolderTests
{
    [Fact]
    public async Task A_folder_in_a_file_system_that_makes_none_is_refused_and_not_tried_for_ever()
    {
        FileFailedException refused =
            await Assert.ThrowsAsync<FileFailedException>(async () => await new PosixFileSystem().CreateFolderAsync("/proc/nowhere/bank"));

        Assert.Equal(Errno.ENOENT, refused.Error);
    }
}
