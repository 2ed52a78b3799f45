using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Replicas.Tests.Outside;
using Ambrosia.Replicas.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.Replicas.Tests;

/// <summary>
/// Calls from outside by many clients, while coordinators and apps of three replicas and gateways before them are killed, clients die, and
/// the instance becomes its next version: each key runs once, and all its answers are equal.
/// </summary>
public sealed class OutsideChaosTests(ITestOutputHelper output)
{
    private const int CallsPerSecond = 100;
    private const int Replaced = 76;
    private const int Replicas = 3;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task Each_key_runs_once_and_has_one_answer_whatever_dies()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        int[] ports = FreePorts.Some(Replicas + 2);
        NodeUnderTest[] replicas = [.. Enumerable.Range(0, Replicas).Select(number => ReplicaSet.MakeOne(
            sandbox, "bank", NodeSettings.Small with
                { CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--ingress", $"127.0.0.1:{ports[number]}"] },
            number, "both"))];
        var bank = new ReplicaSet(replicas);
        var history = new History();
        await using var supervisor = new Supervisor(replicas, history) { Upgrades = true };
        replicas[0].Version = "1";
        replicas[0].Start();
        await bank.PrimaryAsync();
        replicas[0].Version = "both"; // From its next start on: what serves first knows nothing of a second version.
        supervisor.Start();
        await bank.CompleteAsync();
        var gateways = new GatewayProcesses(sandbox, ports[Replicas..]);
        var watch = Stopwatch.StartNew();
        using var clients = new OutsideClients("bank", ports, Counts.OutsideClients, CallsPerSecond, Settings.Seed);
        var random = new Random(Settings.Seed);
        for (int kills = 0; kills < Counts.OutsideKills; kills++)
        {
            if (kills == Counts.OutsideKills / 2)
            {
                await UpgradeAsync(bank);
            }

            await KillOneAsync(bank, gateways, clients, random);
        }

        NodeUnderTest primary = await bank.CompleteAsync();
        await clients.StopAsync();
        int answered = clients.Answered;
        await clients.AskForAllAsync();
        NodeReport report = await primary.ReportAsync();
        string summary = string.Create(CultureInfo.InvariantCulture,
            $"{Counts.OutsideClients} clients from outside, {answered} calls with keys in {watch.Elapsed.TotalSeconds:0} s, "
            + $"{clients.Counted.Deaths} deaths of clients, {clients.Counted.Repeats + answered} repeats of "
            + $"answered calls; {clients.ByLibrary} answers by Ambrosia.Client, {clients.OverGrpc} by gRPC, the others by HTTP; "
            + $"{Counts.OutsideKills} SIGKILLs and an upgrade: {report.Begun} executed, "
            + $"{clients.Violations.Count + report.Violations.Count} violations");
        sandbox.Say(summary);
        Report.Add("Replicas", summary);
        Assert.Empty(clients.Violations.Concat(report.Violations).Concat(history.Audit(new Dictionary<string, NodeReport>())).Take(50));
        Assert.Equal((answered, answered, 2), (report.Begun, report.Ended, report.Version));
        Assert.True(clients.OverGrpc > answered / 6, "next to nothing went over gRPC");
        Assert.True(clients.ByLibrary > answered / 6, "next to nothing went by Ambrosia.Client");
        Assert.True(answered > Counts.OutsideKills * 10, "the clients got next to nothing done");
        await gateways.StopAsync();
        await supervisor.StopAsync();
        await sandbox.PassedAsync();
    }

    // The next one dies when the clients have got on since the last: else it would be one long outage.
    private static async Task KillOneAsync(ReplicaSet bank, GatewayProcesses gateways, OutsideClients clients, Random random)
    {
        int before = clients.Answered;
        await Wait.UntilAsync("the clients get on", () => clients.Answered > before + 10, s_patience);
        await Task.Delay(random.Next(200));
        if (random.Next(5) == 0)
        {
            await gateways.ReplaceAsync(random.Next(2));
            return;
        }

        NodeUnderTest? primary = await bank.TryFindAsync("primary");
        NodeUnderTest victim = random.Next(4) > 0 && primary is not null ? primary : bank.All[random.Next(bank.All.Count)];
        await victim.KillAsync(random.Next(2) == 0 ? Side.App : Side.Coordinator);
    }

    private static async Task UpgradeAsync(ReplicaSet bank)
    {
        NodeUnderTest primary = await bank.CompleteAsync();
        Child old = primary.App!;
        primary.Adopt(primary.StartSuccessor("2", "wait"));
        await old.Exited.WaitAsync(s_patience);
        Assert.Equal(Replaced, old.ExitCode);
    }
}
