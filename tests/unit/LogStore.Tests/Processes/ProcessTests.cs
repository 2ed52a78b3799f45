using System.Diagnostics;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Posix;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests.Processes;

/// <summary>With real second processes, a real disk and a C library that fails on request.</summary>
public sealed class ProcessTests : ProcessConformance
{
    internal static readonly Lazy<string> Shim = new(BuildShim);
    [Theory]
    [InlineData("fdatasync", 5, "EIO", 5)]
    [InlineData("fdatasync", 5, "EROFS", 30)]
    [InlineData("fdatasync", 5, "EDQUOT", 122)]
    [InlineData("pwrite", 8, "ENOSPC", 28)]
    [InlineData("pwrite", 8, "EIO", 5)]
    [InlineData("pwrite", 8, "EFBIG", 27)]
    public async Task A_failed_write_or_sync_ends_the_process_at_once_and_acknowledges_nothing_more(string function, int call, string name,
        int errno)
    {
        using ChildProcess writer = ChildProcess.Start(Fault(function, call, errno), "append", Folder, "1000");
        (int exitCode, string[] output, string error) = await writer.EndAsync();
        Assert.Equal((int)ExitCode.DeviceFailed, exitCode);
        Assert.StartsWith("IC-2031", error, StringComparison.Ordinal);
        Assert.Contains(name, error, StringComparison.Ordinal);
        Assert.DoesNotContain("unwound", output);
        string[] acknowledged = [.. output.Where(line => line.StartsWith("durable", StringComparison.Ordinal))];
        Assert.InRange(acknowledged.Length, 1, 20);

        (WriterStart start, int records) = await RecoverAsync();
        Assert.True(start.LastLsn.Value >= (ulong)acknowledged.Length);
        Assert.Equal((int)start.LastLsn.Value, records);
    }

    [Theory]
    [InlineData("fsync", 1, "IC-2034", ExitCode.DeviceFailed)]
    [InlineData("fsync", 4, "IC-2034", ExitCode.DeviceFailed)]
    [InlineData("fdatasync", 1, "IC-2034", ExitCode.DeviceFailed)]
    [InlineData("flock", 1, "IC-3005", ExitCode.LeaseLost)]
    public async Task A_start_that_the_device_refuses_says_why_and_leaves_a_usable_log(string function, int call, string code,
        ExitCode expected)
    {
        using (ChildProcess first = ChildProcess.Start(Children, "append", Folder, "3"))
        {
            Assert.Equal(0, (await first.EndAsync()).ExitCode);
        }

        using ChildProcess refused = ChildProcess.Start(Fault(function, call, 5), "append", Folder, "3");
        (int exitCode, string[] output, _) = await refused.EndAsync();
        Assert.Equal((int)expected, exitCode);
        Assert.Contains(output, line => line.StartsWith(code, StringComparison.Ordinal) && line.Contains("EIO", StringComparison.Ordinal));
        (WriterStart start, _) = await RecoverAsync();
        Assert.Equal(new Lsn(3), start.LastLsn);
    }

    [Fact]
    public async Task A_short_write_is_completed_and_no_error()
    {
        using ChildProcess writer = ChildProcess.Start(Fault("pwrite", 9, -1), "append", Folder, "20");
        (int exitCode, string[] output, _) = await writer.EndAsync();
        Assert.Equal(0, exitCode);
        Assert.Equal(20, output.Count(line => line.StartsWith("durable", StringComparison.Ordinal)));
        Assert.Equal(20, (await RecoverAsync()).Records);
    }

    protected override IFileSystem NewFiles() => new PosixFileSystem();

    private static Dictionary<string, string> Fault(string function, int call, int errno) => new()
    {
        ["LD_PRELOAD"] = Shim.Value,
        ["AMBROSIA_FAULT"] = $"{function}:{call}:{errno}",
    };

    private static string BuildShim()
    {
        string library = Path.Combine(AppContext.BaseDirectory, "faults.so");
        using Process compiler = Process.Start("cc",
            ["-shared", "-fPIC", "-O1", "-o", library, Path.Combine(AppContext.BaseDirectory, "Processes", "faults.c"), "-ldl"]);
        compiler.WaitForExit();
        Assert.True(compiler.ExitCode == 0, "The C compiler that builds the fault shim is missing or failed.");
        return library;
    }
}
