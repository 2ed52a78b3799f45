using Ambrosia.EndToEnd.Tests.Driving;
using Xunit.Abstractions;

namespace Ambrosia.PowerCut.Tests;

/// <summary>G3, G6 on real file systems: the power goes, what was not synced is lost, the journal is replayed.</summary>
public sealed class LogStorePowerCutTests(ITestOutputHelper output)
{
    [Fact]
    public Task Whatever_the_log_store_confirmed_is_there_after_a_power_cut_and_nothing_else_is() =>
        Worker.RunAsync("PowerCut", "log", mounts: true, output);
}
