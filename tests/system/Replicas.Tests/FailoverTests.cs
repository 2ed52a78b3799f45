using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Replicas.Tests.Running;
using Xunit.Abstractions;

namespace Ambrosia.Replicas.Tests;

/// <summary>G1, G2, G7: a secondary takes the primary's place, and nobody who sends or is sent to sees more of it than a pause.</summary>
public sealed class FailoverTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Nothing_is_lost_or_doubled_while_the_primary_is_killed_again_and_again()
    {
        await using var sandbox = new Sandbox(output);
        Report.Add("Replicas", await Failovers.KillAsync(sandbox, NodeSettings.Small, Counts.Kills));
        await sandbox.PassedAsync();
    }
}
