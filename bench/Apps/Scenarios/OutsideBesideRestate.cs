using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>Calls from outside with keys over HTTP, by the same client: to an immortal, and to Restate. Both sync their logs.</summary>
internal static class OutsideBesideRestate
{
    private const int Size = 16;

    public static async Task RunAsync(Plan plan)
    {
        if (Environment.GetEnvironmentVariable("BENCH_RESTATE") is not { Length: > 0 } programs)
        {
            throw new ChildFailedException(
                "outside-restate was not measured: npm has not installed Restate. bench/run says why, or start it by bench/run.");
        }

        Device.Measure(plan);
        await using RestateServer restate = await RestateServer.StartAsync(programs, plan.FolderFor("restate"));
        string[] caller = ["http-caller", OutsideTopology.EchoPath];
        await using OutsideTopology immortal = await OutsideTopology.StartImmortalAsync(plan.FolderFor("immortal"), caller);
        await using OutsideTopology service =
            await OutsideTopology.StartClientOfAsync(restate, "http-caller", RestateServer.ServicePath);
        await using OutsideTopology single =
            await OutsideTopology.StartClientOfAsync(restate, "http-caller", RestateServer.ObjectPath);
        foreach (int outstanding in (int[])[1, 100])
        {
            string name = $"call from outside beside Restate, HTTP and JSON, 16 B, {outstanding} outstanding";
            if (plan.Wants(name))
            {
                OutsideFigures.Print(name, await Sample.TakeInTurnsAsync(
                    plan,
                    new Run("immortal, logged, with keys", immortal.Processes, seconds => immortal.CallAsync(Size, outstanding, seconds)),
                    new Run("Restate, service", service.Processes, seconds => service.CallAsync(Size, outstanding, seconds)),
                    new Run("Restate, virtual object", single.Processes, seconds => single.CallAsync(Size, outstanding, seconds))));
            }
        }
    }
}
