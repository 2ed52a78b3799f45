using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Replicas.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.Replicas.Tests;

/// <summary>Replicas at full speed for a long time.</summary>
public sealed class SoakTests(ITestOutputHelper output)
{
    private const long Megabyte = 1 << 20;

    // What a process may gain in half of the time: what it keeps for each record shows however fast the machine is.
    private const long MostGained = 32 * Megabyte;

    // What buffers and the heap may take after the first quarter: twice as much as they were seen to.
    private const long MostInAll = 144 * Megabyte;

    // Buffers fill to their bounds first, on a busy machine or with code that is never compiled anew later than elsewhere: a process that
    // still grows at the end gets twice the time more. One that keeps something for each record grows then, too.
    private static readonly int s_mostQuarters = Counts.SoakSeconds > 300 ? 5 : 12;
    private static readonly string[] s_processes =
        ["the primary's app", "the primary's coordinator", "the secondary's app", "the secondary's coordinator"];
    private static readonly NodeSettings s_settings = new()
        { CoordinatorArguments = ["--segment-size", "16MiB", "--checkpoint-every", "32MiB"] };

    [Fact]
    public async Task Memory_of_primary_and_secondary_stays_level_at_full_speed()
    {
        await using var sandbox = new Sandbox(output);
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", s_settings, count: 2);
        NodeUnderTest teller = new(sandbox, "teller", Layout.Sidecar, s_settings);
        NodeUnderTest[] nodes = [bank.All[0], teller];
        bank.All.Append(teller).ToList().ForEach(static node => node.Start());
        NodeUnderTest primary = await bank.CompleteAsync();
        NodeUnderTest secondary = bank.All.Single(node => node != primary);
        var quarter = TimeSpan.FromSeconds(Counts.SoakSeconds / 4.0);
        var watch = Stopwatch.StartNew();
        using var enough = new CancellationTokenSource();
        Task flooding = Task.WhenAll(Enumerable.Range(0, 4).Select(_ => FloodAsync(teller, enough.Token)));
        var quarters = new List<long[]>();
        while (quarters.Count < 4 || (quarters.Count < s_mostQuarters && s_processes.Select((_, process) => process).Any(Grows)))
        {
            quarters.Add(await MedianAsync(primary, secondary, quarter, flooding));
        }

        bool Grows(int process) => Gained(quarters, process) >= MostGained;
        await enough.CancelAsync();
        await flooding;
        Assert.Same(primary, await bank.CompleteAsync());
        (IReadOnlyList<string> violations, IReadOnlyDictionary<string, NodeReport> reports) =
            await Auditor.AuditAsync(new History(), nodes, TimeSpan.FromSeconds(60));
        Assert.Empty(violations);
        sandbox.Say($"{reports.Values.Sum(static r => r.Received.Values.Sum())} messages in {watch.Elapsed.TotalSeconds:0} s");
        for (int process = 0; process < s_processes.Length; process++)
        {
            string medians = string.Join(", ", quarters.Select(quarter => $"{quarter[process] / Megabyte} MiB"));
            sandbox.Say($"{s_processes[process]}: {medians} resident, medians of {quarter.TotalSeconds:0} s each");
            bool tookTooMuch = quarters[^1][process] - quarters[0][process] >= MostInAll;
            Assert.False(Grows(process) || tookTooMuch, $"{s_processes[process]} grows: {medians}");
        }

        await sandbox.PassedAsync();
    }

    // What it has gained in the last two quarters.
    private static long Gained(List<long[]> quarters, int process) => quarters[^1][process] - quarters[^3][process];

    private static async Task<long[]> MedianAsync(NodeUnderTest primary, NodeUnderTest secondary, TimeSpan time, Task flooding)
    {
        var samples = new List<long[]>();
        for (var watch = Stopwatch.StartNew(); watch.Elapsed < time; await Task.Delay(250))
        {
            if (flooding.IsCompleted)
            {
                await flooding; // It goes on until it is told otherwise: it has failed.
            }

            (long primaryApp, long primaryCoordinator) = primary.Memory();
            (long secondaryApp, long secondaryCoordinator) = secondary.Memory();
            samples.Add([primaryApp, primaryCoordinator, secondaryApp, secondaryCoordinator]);
        }

        return [.. s_processes.Select((_, process) => samples.Select(sample => sample[process]).Order().ElementAt(samples.Count / 2))];
    }

    private static async Task FloodAsync(NodeUnderTest from, CancellationToken enough)
    {
        using GateClient gate = await from.ConnectAsync();
        while (!enough.IsCancellationRequested)
        {
            await gate.AskAsync("flood bank 512 256");
        }
    }
}
