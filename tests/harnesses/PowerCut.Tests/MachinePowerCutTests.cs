using Ambrosia.EndToEnd.Tests.Driving;
using Xunit.Abstractions;

namespace Ambrosia.PowerCut.Tests;

/// <summary>G1, G3: whole machines lose their power, disks and processes at once, while clients work.</summary>
public sealed class MachinePowerCutTests(ITestOutputHelper output)
{
    [Fact]
    public Task Nothing_is_lost_repeated_or_reordered_when_machines_with_coordinators_and_apps_lose_their_power() =>
        Worker.RunAsync("PowerCut", "machines", mounts: true, output);
}
