using System.Globalization;
using Xunit.Abstractions;

namespace Ambrosia.DurableScenarios.Tests;

/// <summary>Prints what awaits and checkpoints cost on this machine; only bytes and results are asserted, since times depend on the
/// machine.</summary>
public sealed class CostTests(ITestOutputHelper output)
{
    [Fact]
    public void A_remote_call_allocates_one_object_and_a_hundred_thousand_suspended_handlers_survive()
    {
        string[] lines = ScenarioProcess.Run("Release", "Plain", "measure");
        Array.ForEach(lines, output.WriteLine);
        Assert.InRange(Bytes(lines, "call+await"), 1, 48);
        Assert.InRange(Bytes(lines, "call+await-nested"), 1, 128);
        Assert.InRange(Bytes(lines, "await-completed"), 0, 0);
        Assert.InRange(Bytes(lines, "handler"), 1, 160);
        Assert.Contains("resumed-emit 100000 money 4999950000", lines);
        Assert.Contains("resumed-reflect 100000 money 4999950000", lines);
    }

    private static int Bytes(string[] lines, string name) =>
        int.Parse(lines.Single(line => line.StartsWith(name + " ", StringComparison.Ordinal)).Split(' ')[3], CultureInfo.InvariantCulture);
}
