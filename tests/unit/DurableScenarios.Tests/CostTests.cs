using System.Globalization;
using Xunit.Abstractions;

namespace Ambrosia.DurableScenarios.Tests;

/// <summary>Prints what awaits and checkpoints cost on this machine; only bytes and results are asserted, since times depend on the
/// machine.</summary>
public sealed class CostTests(ITestOutputHelper output)
{
    [Fact]
    public void A_remote_call_allocates_one_object_and_many_suspended_handlers_survive()
    {
        long handlers = Extent.Of(everyday: 20_000, full: 100_000, soak: 100_000);
        string[] lines = ScenarioProcess.Run("Release", "Plain", "measure", handlers.ToString(CultureInfo.InvariantCulture));
        Array.ForEach(lines, output.WriteLine);
        Assert.InRange(Bytes(lines, "call+await"), 1, 48);
        Assert.InRange(Bytes(lines, "call+await-nested"), 1, 128);
        Assert.InRange(Bytes(lines, "await-completed"), 0, 0);
        Assert.InRange(Bytes(lines, "handler"), 1, 160);
        string all = string.Create(CultureInfo.InvariantCulture, $"{handlers} money {handlers * (handlers - 1) / 2}");
        Assert.Contains($"resumed-emit {all}", lines);
        Assert.Contains($"resumed-reflect {all}", lines);
    }

    private static int Bytes(string[] lines, string name) =>
        int.Parse(lines.Single(line => line.StartsWith(name + " ", StringComparison.Ordinal)).Split(' ')[3], CultureInfo.InvariantCulture);
}
