using System.Globalization;
using Ambrosia.Testing;

namespace Ambrosia.InProcess.Tests.Effects;

/// <summary>
/// Worlds drawn by lot: a shop orders, mails, goes step by step and cancels, while its processes are killed between any two steps,
/// checkpoints are taken, attempts go wrong and versions change. Afterwards inside and outside are compared. AMBROSIA_EFFECT_SEEDS is how
/// many worlds, 40 by default.
/// </summary>
public sealed class EffectExplorerTests
{
    private const int Orders = 14;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly Killed[] s_deaths = [Killed.Process, Killed.App, Killed.Coordinator, Killed.Host];
    private static readonly EffectFault[] s_faults = [EffectFault.LoseOutcome, EffectFault.Repeat, EffectFault.Throw, EffectFault.Hang,
        EffectFault.KillProcess];

    private static int Seeds =>
        int.TryParse(Environment.GetEnvironmentVariable("AMBROSIA_EFFECT_SEEDS"), CultureInfo.InvariantCulture, out int seeds) ? seeds : 40;

    [Fact]
    public async Task Whatever_dies_each_effect_has_one_id_and_one_outcome_that_the_outside_gave()
    {
        int repeated = 0;
        for (int seed = 1; seed <= Seeds; seed++)
        {
            repeated += await ExploreAsync(seed);
        }

        Assert.True(repeated > Seeds / 4, $"Only {repeated} calls in {Seeds} worlds were repetitions: the test has lost its point.");
    }

    private static async Task<int> ExploreAsync(int seed)
    {
        var random = new Random(seed);
        var outside = new Outside(random);
        await using var world = ImmortalTestHost.Start<Shop>(
            "shop", new ImmortalTestOptions { Seed = seed, Patience = TimeSpan.FromHours(1) }, o => o.UseEffects<IPayments>(_ => outside));
        await world.IdleAsync();
        List<Task> calls = [Await(world.Call("shop", (ShopProxy s) => s.StepsAsync(3)))];
        List<string> cancelled = [];
        for (int i = 0; i < Orders; i++)
        {
            string customer = $"c{i}";
            switch (random.Next(4))
            {
                case 0:
                    calls.Add(Await(world.Call("shop", (ShopProxy s) => s.ThankAsync(customer))));
                    break;
                case 1:
                    calls.Add(Await(world.Call("shop", (ShopProxy s) => s.BeginAsync(customer))));
                    cancelled.Add(customer);
                    break;
                default:
                    calls.Add(AwaitRefusable(world.Call("shop", (ShopProxy s) => s.OrderAsync(customer, 1))));
                    break;
            }

            await DisturbAsync(world, random);
            if (cancelled.Count > 0 && random.Next(3) == 0)
            {
                string late = cancelled[^1];
                calls.Add(Await(world.Call("shop", (ShopProxy s) => s.CancelAsync(late))));
            }
        }

        await world.AdvanceAsync(TimeSpan.FromMinutes(30));
        // Those tasks end on threads of the pool, a moment after the world's own.
        await Task.WhenAny(Task.WhenAll(calls), Task.Delay(s_patience));
        Assert.All(calls, call => Assert.True(call.IsCompletedSuccessfully,
            $"seed {seed}: {call.Exception?.Message ?? "an order is still open after half an hour"}"));
        await world.IdleAsync();
        Compare(seed, world.State<Shop>("shop").Seen, outside);
        int before = outside.Calls;
        await world.KillAsync("shop");
        await world.IdleAsync();
        await world.AdvanceAsync(TimeSpan.FromHours(1));
        Assert.True(before == outside.Calls, $"seed {seed}: I5, I8: {outside.Calls - before} calls after everything had an outcome");
        return outside.Calls - outside.Ids.Count;
    }

    private static async Task DisturbAsync(ImmortalTestHost world, Random random)
    {
        await world.StepAsync(random.Next(120));
        switch (random.Next(8))
        {
            case 0 or 1:
                await world.KillAsync("shop", s_deaths[random.Next(s_deaths.Length)]);
                break;
            case 2:
                await world.CheckpointAsync("shop");
                break;
            case 3 or 4:
                world.Fail("shop", s_faults[random.Next(s_faults.Length)]);
                break;
            case 5:
                await world.AdvanceAsync(TimeSpan.FromMilliseconds(random.Next(50)));
                break;
            default:
                break;
        }
    }

    private static void Compare(int seed, IReadOnlyList<string> seen, Outside outside)
    {
        Assert.True(outside.Violations.Count == 0, $"seed {seed}: {string.Join("; ", outside.Violations)}");
        foreach (string line in seen)
        {
            string[] words = line.Split(' ');
            Assert.True(seen.Count(other => other.Split(' ')[0] == words[0] && words[0] != "step") <= 1,
                $"seed {seed}: I3: two outcomes of {words[0]}: {string.Join(", ", seen)}");
            if (words is [var customer, "paid", var receipt])
            {
                Assert.True(outside.Receipts.GetValueOrDefault(customer)?.Contains(receipt) == true,
                    $"seed {seed}: I2: nobody outside gave {line}");
            }
        }

        Assert.True(seen.Where(static line => line.StartsWith("step ", StringComparison.Ordinal))
            .SequenceEqual(["step 0", "step 1", "step 2"]), $"seed {seed}: I2: {string.Join(", ", seen)}");
        foreach (string mail in outside.Ids.Keys.Where(static key => key.EndsWith("Thank you", StringComparison.Ordinal)))
        {
            Assert.True(outside.Mailed.Contains(mail[..^"Thank you".Length]), $"seed {seed}: I2: a mail was begun and never sent");
        }
    }

    private static async Task Await(TestCall call) => await call;

    // The bound of pending effects may refuse an order: that is an outcome, too.
    private static async Task AwaitRefusable(TestCall<string> call)
    {
        try
        {
            await call;
        }
        catch (InvalidOperationException refused) when (refused.Message.Contains("which is its bound", StringComparison.Ordinal))
        {
        }
    }
}
