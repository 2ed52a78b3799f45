using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Replicas.Tests.Outside;
using Ambrosia.Replicas.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.Replicas.Tests;

/// <summary>
/// Clients that know two gateways and no instance, while the primary of three replicas and the gateways are killed: each key runs once, and
/// all its answers are equal.
/// </summary>
public sealed class GatewayTests(ITestOutputHelper output)
{
    private const int CallsPerSecond = 60;
    private const int Clients = 20;
    private const int Kills = 8;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task Each_key_runs_once_and_has_one_answer_whatever_dies_on_either_side_of_a_gateway()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        NodeUnderTest[] replicas = [.. Enumerable.Range(0, 3).Select(number => ReplicaSet.MakeOne(
            sandbox, "bank", NodeSettings.Small with
                { CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--ingress", "127.0.0.1:0"] }, number))];
        var bank = new ReplicaSet(replicas);
        var history = new History();
        await using var supervisor = new Supervisor(replicas, history);
        replicas[0].Start();
        await bank.PrimaryAsync();
        supervisor.Start();
        await bank.CompleteAsync();
        int[] ports = FreePorts.Some(2);
        var gateways = new GatewayProcesses(sandbox, ports);
        using var clients = new OutsideClients("bank", ports, Clients, CallsPerSecond, Settings.Seed);
        var random = new Random(Settings.Seed);
        for (int kills = 0; kills < Kills; kills++)
        {
            int got = clients.Answered;
            await Wait.UntilAsync("the clients get on", () => clients.Answered > got + 20, s_patience);
            await Task.Delay(random.Next(200));
            if (kills % 2 == 0)
            {
                await (await bank.PrimaryAsync()).KillAsync(random.Next(2) == 0 ? Side.App : Side.Coordinator);
            }
            else
            {
                await gateways.ReplaceAsync(random.Next(2));
            }
        }

        NodeUnderTest primary = await bank.CompleteAsync();
        await clients.StopAsync();
        int answered = clients.Answered;
        int before = clients.ByLibrary;
        long streamed = await gateways.StreamedAsync();
        await clients.AskForAllAsync();
        streamed = await gateways.StreamedAsync() - streamed;
        int asked = clients.ByLibrary - before;
        NodeReport report = await primary.ReportAsync();
        sandbox.Say(string.Create(CultureInfo.InvariantCulture,
            $"After the kills {streamed} answers for {asked} calls of Ambrosia.Client came on streams. "
            + $"{Clients} clients through 2 gateways, {answered} calls with keys, {Kills} SIGKILLs: {report.Begun} executed, "
            + $"{clients.Violations.Count + report.Violations.Count} violations"));
        Assert.Empty(clients.Violations.Concat(report.Violations).Concat(history.Audit(new Dictionary<string, NodeReport>())).Take(50));
        Assert.Equal((answered, answered), (report.Begun, report.Ended));
        Assert.True(asked > 0);
        Assert.InRange(streamed, asked, long.MaxValue); // All of them, and repeats: after kills, too, calls go on streams.
        await gateways.StopAsync();
        await supervisor.StopAsync();
        await sandbox.PassedAsync();
    }
}
