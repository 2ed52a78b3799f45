using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Managed;
using Ambrosia.LogStore.Files.Posix;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Processes;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.LogStore.Tests.Managed;

/// <summary>Real second processes that are forced onto the managed fallbacks.</summary>
public sealed class ManagedProcessTests : ProcessConformance
{
    protected override IReadOnlyDictionary<string, string> Children { get; } = new Dictionary<string, string> { [Platform.Variable] = "1" };

    [Theory]
    [InlineData(5, "EIO")]
    [InlineData(28, "ENOSPC")]
    public async Task A_failed_write_ends_the_process_at_once_and_acknowledges_nothing_more(int errno, string name)
    {
        var environment = new Dictionary<string, string>(Children)
            { ["LD_PRELOAD"] = ProcessTests.Shim.Value, ["AMBROSIA_FAULT"] = $"pwrite64:8:{errno}" };
        using ChildProcess writer = ChildProcess.Start(environment, "append", Folder, "1000");
        (int exitCode, string[] output, string error) = await writer.EndAsync();
        Assert.Equal((int)ExitCode.DeviceFailed, exitCode);
        Assert.StartsWith("IC-2031", error, StringComparison.Ordinal);
        Assert.Contains(name, error, StringComparison.Ordinal);
        Assert.DoesNotContain("unwound", output);
        int acknowledged = output.Count(static line => line.StartsWith("durable", StringComparison.Ordinal));
        Assert.InRange(acknowledged, 1, 20);
        Assert.True((await RecoverAsync()).Start.LastLsn.Value >= (ulong)acknowledged);
    }

    /// <summary>One may have been started with the switch and the other without it.</summary>
    [Fact]
    public async Task A_holder_by_Linuxs_calls_keeps_one_without_them_away_and_the_other_way_round()
    {
        using (ChildProcess managed = ChildProcess.Start(Children, "hold", Folder))
        {
            Assert.Equal("held", await managed.ReadLineAsync());
            using ChildProcess other = ChildProcess.Start(new Dictionary<string, string>(), "hold", Folder);
            Assert.Equal("refused", await other.ReadLineAsync());
            managed.Kill();
            await managed.EndAsync();
        }

        using ChildProcess linux = ChildProcess.Start(new Dictionary<string, string>(), "hold", Folder);
        Assert.Equal("held", await linux.ReadLineAsync());
        using ChildProcess late = ChildProcess.Start(Children, "hold", Folder);
        Assert.Equal("refused", await late.ReadLineAsync());
        await using WriteAheadLog log = await OpenAsync();
        Assert.True(await log.IsHeldAsync());
    }

    [Fact]
    public async Task What_is_written_without_Linuxs_calls_is_read_with_them()
    {
        using ChildProcess writer = ChildProcess.Start(Children, "append", Folder, "50");
        Assert.Equal(0, (await writer.EndAsync()).ExitCode);
        await using WriteAheadLog log = await LogStores.OpenLogAsync(
            "file:" + Folder, "bank", new LogStoreOptions { PageSize = 4096, SegmentSize = 64 * 1024 }, new LogStoreEnvironment
                { Files = new PosixFileSystem() });
        await using LogHarness next = await LogHarness.StartAsync(log);
        Assert.Equal(50, (await LogHarness.ReadAllAsync(next.Log, Lsn.None)).Count);
    }

    protected override IFileSystem NewFiles() => new ManagedFileSystem();
}
