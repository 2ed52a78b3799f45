using Ambrosia.EndToEnd.Tests.Driving;
using Xunit.Abstractions;

namespace Ambrosia.SystemFaults.Tests;

/// <summary>Disks that are really full, ext4 and XFS, and are freed again.</summary>
public sealed class FullDiskTests(ITestOutputHelper output)
{
    [Fact]
    public Task A_log_on_a_disk_that_fills_up_stops_with_its_code_loses_nothing_and_goes_on_when_there_is_room() =>
        Worker.RunAsync("SystemFaults", "full", mounts: true, output);
}
