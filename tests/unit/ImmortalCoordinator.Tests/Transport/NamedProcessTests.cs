using System.Diagnostics;
using System.Globalization;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

/// <summary>A process is ended only if it is the very one that was named.</summary>
public sealed class NamedProcessTests
{
    [Fact]
    public async Task The_process_that_was_named_is_ended_and_none_that_only_has_its_number()
    {
        using Process process = Process.Start("sleep", "600");
        try
        {
            string status = File.ReadAllText($"/proc/{process.Id}/stat");
            ulong start = ulong.Parse(status[(status.LastIndexOf(')') + 2)..].Split(' ')[19], CultureInfo.InvariantCulture);
            Assert.False(NamedProcess.Kill($"pid {process.Id} started {start + 1}"));
            Assert.False(NamedProcess.Kill($"pid {process.Id}"));
            Assert.False(NamedProcess.Kill("nobody"));
            Assert.False(process.HasExited);
            Assert.True(NamedProcess.Kill($"pid {process.Id} started {start}"));
            await process.WaitForExitAsync().OrFail();
            Assert.False(NamedProcess.Kill($"pid {process.Id} started {start}"));
        }
        finally
        {
            process.Kill();
        }
    }
}
