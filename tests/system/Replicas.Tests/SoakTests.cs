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

    // What a process may gain between the second quarter of the time and the last: what it keeps for each record shows however fast the
    // machine is.
    private const long MostGained = 32 * Megabyte;
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
        var time = TimeSpan.FromSeconds(Counts.SoakSeconds);
        var watch = Stopwatch.StartNew();
        Task flooding = Task.WhenAll(Enumerable.Range(0, 4).Select(_ => FloodAsync(teller, watch, time)));
        var samples = new List<(TimeSpan At, long[] Bytes)>();
        while (!flooding.IsCompleted)
        {
            (long primaryApp, long primaryCoordinator) = primary.Memory();
            (long secondaryApp, long secondaryCoordinator) = secondary.Memory();
            samples.Add((watch.Elapsed, [primaryApp, primaryCoordinator, secondaryApp, secondaryCoordinator]));
            await Task.WhenAny(flooding, Task.Delay(250));
        }

        await flooding;
        Assert.Same(primary, await bank.CompleteAsync());
        (IReadOnlyList<string> violations, IReadOnlyDictionary<string, NodeReport> reports) =
            await Auditor.AuditAsync(new History(), nodes, TimeSpan.FromSeconds(60));
        Assert.Empty(violations);
        string[] names = ["the primary's app", "the primary's coordinator", "the secondary's app", "the secondary's coordinator"];
        sandbox.Say($"{reports.Values.Sum(static r => r.Received.Values.Sum())} messages in {time.TotalSeconds:0} s");
        for (int process = 0; process < names.Length; process++)
        {
            long[] quarters = [.. Enumerable.Range(0, 4)
                .Select(quarter => Median(samples, process, time * quarter / 4, time * (quarter + 1) / 4))];
            sandbox.Say($"{names[process]}: {string.Join(", ", quarters.Select(static bytes => $"{bytes / Megabyte} MiB"))} resident, "
                + $"medians of the quarters");
            Assert.True(quarters[3] - quarters[1] < MostGained, $"{names[process]} grows: {string.Join(", ", quarters)} bytes");
        }

        await sandbox.PassedAsync();
    }

    private static long Median(List<(TimeSpan At, long[] Bytes)> samples, int process, TimeSpan from, TimeSpan to)
    {
        long[] sorted = [.. samples.Where(sample => sample.At >= from && sample.At < to).Select(sample => sample.Bytes[process]).Order()];
        return sorted[sorted.Length / 2];
    }

    private static async Task FloodAsync(NodeUnderTest from, Stopwatch watch, TimeSpan time)
    {
        using GateClient gate = await from.ConnectAsync();
        while (watch.Elapsed < time)
        {
            await gate.AskAsync("flood bank 512 256");
        }
    }
}
