using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.LogStore.Tests;

public sealed class LogViewTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_folder_without_a_log_is_named_and_left_alone(bool withLogFolder)
    {
        var disk = new MemoryFileSystem();
        await disk.CreateFolderAsync("/copy");
        if (withLogFolder)
        {
            await disk.CreateFolderAsync("/copy/log");
        }

        LogStoreException none = await Assert.ThrowsAsync<LogStoreException>(() =>
            LogView.OpenFolderAsync("/copy", new LogStoreEnvironment { Files = disk }).AsTask());
        Assert.Equal("IC-2044", none.Code);
        Assert.Contains("/copy", none.Message, StringComparison.Ordinal);
        Assert.Empty(disk.AllFiles());
    }
}
