using System.Diagnostics;
using System.Runtime.InteropServices;
using Ambrosia.Primitives;

namespace Ambrosia.Protocol.Tests;

public sealed class DotnetProgramTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("ambrosia-test-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void The_native_executable_of_this_platform_comes_before_the_executable_and_that_before_the_assembly()
    {
        Assert.Null(DotnetProgram.Find(_folder.FullName, "Tool"));
        string[] places = [Make("Tool.dll"), Make("Tool"), Make(Path.Combine(RuntimeInformation.RuntimeIdentifier, "Tool"))];
        string[] found = [];
        foreach (string place in places.Reverse())
        {
            found = [.. found, DotnetProgram.Find(_folder.FullName, "Tool")!];
            File.Delete(place);
        }

        Assert.Equal(places.Reverse(), found);
    }

    [Fact]
    public void The_executable_of_another_platform_is_none()
    {
        Make(Path.Combine("linux-riscv", "Tool"));

        Assert.Null(DotnetProgram.Find(_folder.FullName, "Tool"));
    }

    [Fact]
    public async Task An_assembly_is_started_by_the_runtime_of_this_process_and_an_executable_by_itself()
    {
        Assert.Equal(("/bin/Tool", 0),
            (DotnetProgram.StartOf("/bin/Tool").FileName, DotnetProgram.StartOf("/bin/Tool").ArgumentList.Count));
        ProcessStartInfo start = DotnetProgram.StartOf(Path.Combine(_folder.FullName, "Nothing.dll"));
        start.RedirectStandardError = true;
        start.RedirectStandardOutput = true;

        Assert.StartsWith(Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..")), start.FileName,
            StringComparison.Ordinal);
        using Process process = Process.Start(start)!;
        string said = await process.StandardOutput.ReadToEndAsync() + await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.NotEqual(0, process.ExitCode);
        Assert.Contains("Nothing.dll", said, StringComparison.Ordinal); // The host itself looked for it.
    }

    private string Make(string path)
    {
        string full = Path.Combine(_folder.FullName, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, "");
        return full;
    }
}
