using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>Two nodes, no kills: the slice through everything.</summary>
public sealed class FirstLifeTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(nameof(Layout.Sidecar))]
    [InlineData(nameof(Layout.Embedded))]
    public async Task Two_nodes_do_every_kind_of_work_and_nothing_is_lost_or_repeated(string layout)
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest[] nodes = [.. new[] { "n1", "n2" }.Select(name =>
            new NodeUnderTest(sandbox, name, Enum.Parse<Layout>(layout), NodeSettings.Small))];
        foreach (NodeUnderTest node in nodes)
        {
            node.Start();
        }

        var history = new History();
        var load = new Load(history, nodes, seed: 1, clientsPerNode: 4);
        load.Start();
        await Wait.UntilAsync("enough requests were answered", () => history.Answered > 300, TimeSpan.FromSeconds(60));
        await load.StopAsync(TimeSpan.FromSeconds(30));
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, TimeSpan.FromSeconds(20));

        Assert.Empty(violations);
        sandbox.Say($"{history.Count} requests, {history.Answered} answered");
        await sandbox.PassedAsync();
    }
}
