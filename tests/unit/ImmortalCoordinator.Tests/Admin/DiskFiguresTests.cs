using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Files.Posix;

namespace Ambrosia.ImmortalCoordinator.Tests.Admin;

/// <summary>What an instance occupies, and what is left for it.</summary>
public sealed class DiskFiguresTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Files_of_the_folder_and_of_those_in_it_are_counted_and_a_folder_that_is_not_there_is_unknown()
    {
        string instance = _folder["bank"];
        var disk = new DiskFigures(new PosixFileSystem(), instance, TimeProvider.System);
        Assert.Equal((null, null), (disk.Used, disk.Free));
        await disk.LookAsync();
        Assert.Equal((null, null), (disk.Used, disk.Free));
        foreach ((string name, int bytes) in ((string, int)[])[("lock", 3), ("log/1.seg", 4000), ("checkpoints/1.ckpt", 500),
            ("scratch.2/x.spill", 60)])
        {
            string path = Path.Combine(instance, name);
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            await File.WriteAllBytesAsync(path, new byte[bytes]);
        }

        await disk.LookAsync();
        Assert.Equal(4563, disk.Used); // What was not there is looked for again at once.
        Assert.True(disk.Free > 0);
        await File.WriteAllBytesAsync(Path.Combine(instance, "log/2.seg"), new byte[9]);
        await disk.LookAsync();
        Assert.Equal(4563, disk.Used); // It has just looked.
    }
}
