using System.Globalization;
using System.Text.Json;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>docs/internals/exactly-once.md H26: a destination that stays away does not stop the app for everybody.</summary>
public sealed class DropTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private static readonly NodeSettings s_dropping = new()
    {
        CoordinatorArguments =
        [
            "--max-buffered", "2MiB", "--max-spill", "4MiB", "--segment-size", "16MiB", "--checkpoint-every", "8MiB",
            "--drop-outputs-after", "500ms",
        ],
    };

    [Fact]
    public async Task Others_go_on_beside_a_destination_that_stays_away_and_it_gets_all_that_was_not_dropped_when_it_comes_back()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest sender = new(sandbox, "sender", Layout.Sidecar, s_dropping);
        NodeUnderTest living = new(sandbox, "living", Layout.Sidecar, s_dropping);
        NodeUnderTest dead = new(sandbox, "dead", Layout.Sidecar, s_dropping);
        foreach (NodeUnderTest node in new[] { sender, living, dead })
        {
            node.Start();
            await node.AskAsync("save");
        }

        var history = new History();
        await PourAsync(sender, 4);
        await Wait.UntilAsync("it has received them", async () => await ReceivedAsync(dead) == 4, s_patience);
        await dead.KillAsync(Side.App);
        await dead.KillAsync(Side.Coordinator);
        for (int i = 0; i < 4; i++)
        {
            await PourAsync(sender, 80); // 5 MiB: more than its share.
            await AwaitAsync(sender, living, history, i);
        }

        // In the middle of what it is just made to send.
        using (GateClient gate = await sender.ConnectAsync())
        {
            int before = Drops(sender);
            Task<string> cut = gate.AskAsync("pour dead 80 65536");
            // So it executes it, and has more to send than there is room.
            await Wait.UntilAsync("it drops", () => Drops(sender) > before, s_patience);
            await sender.KillAsync(Side.Coordinator);
            await sender.KillAsync(Side.App);
            _ = (await Task.WhenAny(cut)).Exception; // It may have been executed before.
        }

        // And between the file and the decision: what was kept is not dropped yet, and is kept once more.
        sender.StartCoordinator("K29");
        sender.StartApp();
        await Wait.UntilAsync("it dies with a file and no decision", () => sender.Coordinator!.HasExited, s_patience);
        sender.Start();
        await AwaitAsync(sender, living, history, 99);
        await PourAsync(sender, 80);
        long sent = await PourAsync(sender, 3);
        dead.Start();
        await Wait.UntilAsync("it has received the last one", async () => await ReceivedAsync(dead) == sent, s_patience);

        // Whatever it never got is kept, and it got nothing twice and nothing out of order.
        List<(long First, long Last)> kept = await KeptAsync(sandbox);
        List<string> jumps = (await dead.ReportAsync()).Violations;
        Assert.NotEmpty(jumps);
        foreach (string jump in jumps)
        {
            string[] numbers = [.. jump.Split(' ', ',', ':').Where(static word => word.Length > 0 && char.IsAsciiDigit(word[0]))];
            (long came, long expected) = (Number(numbers[0]), Number(numbers[1]));
            Assert.True(came > expected, jump);
            for (long missing = expected; missing < came; missing++)
            {
                Assert.Contains(kept, range => range.First <= missing && missing <= range.Last);
            }
        }

        Assert.Empty((await sender.ReportAsync()).Violations);
        Assert.Empty((await living.ReportAsync()).Violations);
        Assert.Contains("IC-2114", dead.Coordinator!.Output, StringComparison.Ordinal);
        sandbox.Say($"{sent} sent, {kept.Sum(static range => range.Last - range.First + 1)} kept, {jumps.Count} gaps");
        await sandbox.PassedAsync();
    }

    private static int Drops(NodeUnderTest sender) => sender.Coordinator!.Output.Split("IC-2113").Length - 1;

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);

    private static async Task<long> PourAsync(NodeUnderTest sender, int count) =>
        Number(await sender.AskAsync(string.Create(CultureInfo.InvariantCulture, $"pour dead {count} 65536"), s_patience));

    private static async Task<long> ReceivedAsync(NodeUnderTest node) => (await node.ReportAsync()).Received.GetValueOrDefault("sender");

    private static async Task AwaitAsync(NodeUnderTest from, NodeUnderTest to, History history, int number)
    {
        var request = new Request(string.Create(CultureInfo.InvariantCulture, $"beside{number}"), from.Name, to.Name, WorkKind.Await);
        history.Begin(request);
        history.End(request, await from.AskAsync($"submit {request.Id} Await {to.Name} 0", s_patience));
    }

    private static async Task<List<(long First, long Last)>> KeptAsync(Sandbox sandbox)
    {
        Child command = Child.Start(
            sandbox, "dropped", Executables.Command, ["deadletters", "dropped", "sender", "--store", sandbox.Store, "--json"]);
        await command.Exited.WaitAsync(s_patience);
        using JsonDocument decisions = JsonDocument.Parse(command.Output[command.Output.IndexOf('[', StringComparison.Ordinal)..]);
        return [.. decisions.RootElement.EnumerateArray()
            .Select(static each => (each.GetProperty("first").GetInt64(), each.GetProperty("last").GetInt64()))];
    }
}
