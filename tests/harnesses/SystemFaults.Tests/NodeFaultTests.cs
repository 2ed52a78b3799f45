using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.SystemFaults.Tests.Nodes;
using Ambrosia.SystemFaults.Tests.Running;
using Ambrosia.SystemFaults.Tests.Shim;
using Xunit.Abstractions;

namespace Ambrosia.SystemFaults.Tests;

/// <summary>System calls of a coordinator at work fail, on files and on sockets.</summary>
public sealed class NodeFaultTests(ITestOutputHelper output)
{
    [Fact]
    public async Task A_coordinator_whose_calls_fail_goes_on_or_ends_with_its_code_and_nothing_is_lost_repeated_or_reordered()
    {
        FaultShim.Build();
        await using var sandbox = new Sandbox(output);
        Say($"AMBROSIA_FAULT_SEED={FaultSettings.Seed} AMBROSIA_NODE_FAULTS={FaultSettings.NodeFaults}");
        (FaultTable table, IReadOnlyList<string> violations, string summary) = await new NodeFaults(sandbox, new Random(FaultSettings.Seed))
            .RunAsync(FaultSettings.NodeFaults);
        Say(string.Create(CultureInfo.InvariantCulture,
            $"{table.Struck} system-call faults of coordinators at work ({table.Missed} were not reached), by call and error:"));
        foreach (string line in table.Lines())
        {
            Say(line);
        }

        Say(summary);
        Assert.True(violations.Count == 0, string.Join("\n", violations.Take(30)));
        Assert.True(table.Struck * 3 > FaultSettings.NodeFaults, $"only {table.Struck} of {FaultSettings.NodeFaults} faults struck");
        Assert.True(table.OutcomesLike("stopped") > 0 && table.OutcomesLike("went on") > 0, "coordinators always stopped, or never");
        sandbox.Passed();
    }

    private void Say(string line)
    {
        output.WriteLine(line);
        Report.Add("SystemFaults", line);
    }
}
