using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>Effects on the outside (docs/guide/effects.md): performed at least once under one id, their outcome applied once.</summary>
public sealed class EffectTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Every_charge_reaches_its_receiver_under_one_id_and_its_outcome_is_applied_once_whatever_is_killed()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        var random = new Random(Settings.Seed);
        var watch = Stopwatch.StartNew();
        NodeUnderTest shop = new(sandbox, "shop", Layout.Sidecar, NodeSettings.Small);
        await using var till = new TillServer(shop.GatePath + ".till", Settings.Seed);
        shop.Start();
        var history = new History();
        int perKill = Settings.Charges / Settings.ChargeKills;
        int kills = 0;
        await using (var supervisor = new Supervisor([shop], history))
        {
            supervisor.Start();
            for (int first = 0; first < Settings.Charges; first += perKill)
            {
                await shop.AskAsync($"charges {first} {Math.Min(perKill, Settings.Charges - first)}");
                await Task.Delay(random.Next(60)); // Chance chooses the moment; nothing that is asserted depends on it.
                int who = random.Next(3);
                kills += who != 1 && await shop.KillAsync(Side.App) ? 1 : 0;
                kills += who != 0 && await shop.KillAsync(Side.Coordinator) ? 1 : 0;
            }

            await Wait.UntilAsync("all are charged", async () =>
                (await ChargedAsync(shop)).Length == Settings.Charges, TimeSpan.FromSeconds(90));
        }

        NodeReport report = await shop.ReportAsync();
        Assert.Empty(report.Violations);
        Assert.Empty(history.Audit(new Dictionary<string, NodeReport>())); // No process ended as none should.
        Assert.Empty(till.Mixed);
        Assert.All(await ChargedAsync(shop), static times => Assert.Equal(1, times)); // Each outcome once.
        Assert.Equal(Settings.Charges, till.Charges.Count); // Each id at least once, and no customer under two.
        Assert.Equal(Enumerable.Range(0, Settings.Charges), till.Taken.Keys.Order());
        Assert.All(till.Taken.Values, static times => Assert.Equal(1, times)); // Each customer once, since the receiver drops repeated ids.
        int attempts = till.Attempts;
        sandbox.Say(string.Create(CultureInfo.InvariantCulture,
            $"{Settings.Charges} charges, {kills} SIGKILLs: {attempts} attempts, {attempts - Settings.Charges} of them repetitions; "
            + $"{watch.Elapsed.TotalSeconds:0} s."));
        await sandbox.PassedAsync();
        Assert.Equal(attempts, till.Attempts); // The log was executed once more: that performs nothing.
    }

    private static async Task<int[]> ChargedAsync(NodeUnderTest shop) =>
        [.. (await shop.ReportAsync()).Effects.Where(static effect => effect.Key.EndsWith(" charged", StringComparison.Ordinal))
            .Select(static effect => effect.Value)];
}
