using Ambrosia.Testing;

namespace Ambrosia.InProcess.Tests.Upgrading;

/// <summary>G13 in the test host: a real coordinator, virtual time.</summary>
public sealed class UpgradeTests
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);

    [Fact]
    public async Task A_running_immortal_becomes_the_next_version_with_its_state_converted()
    {
        await using var world = ImmortalTestHost.Start<LedgerV1>("ledger");
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(3));
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(4));
        await UpgradeAsync(world);
        Assert.Equal(9, await world.Call("ledger", (LedgerProxy l) => l.AddAsync(2)));
        Assert.Equal("EUR", world.State<LedgerV2>("ledger").Currency);
    }

    [Fact]
    public async Task What_is_sent_during_an_upgrade_is_executed_once_by_whichever_version_it_meets()
    {
        await using var world = ImmortalTestHost.Start<LedgerV1>("ledger");
        List<TestCall<long>> calls = [];
        for (int i = 0; i < 200; i++)
        {
            calls.Add(world.Call("ledger", (LedgerProxy l) => l.AddAsync(1)));
        }

        await UpgradeAsync(world);
        for (int i = 0; i < calls.Count; i++)
        {
            Assert.Equal(i + 1, await calls[i]);
        }

        Assert.Equal(200, world.State<LedgerV2>("ledger").Sum);
    }

    [Theory]
    [InlineData(Killed.Process)]
    [InlineData(Killed.App)]
    [InlineData(Killed.Coordinator)]
    [InlineData(Killed.Host)]
    public async Task The_new_version_survives_every_kind_of_death(Killed what)
    {
        await using var world = ImmortalTestHost.Start<LedgerV1>("ledger");
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(3));
        await UpgradeAsync(world);
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(4));
        await world.KillAsync("ledger", what);
        Assert.Equal(9, await world.Call("ledger", (LedgerProxy l) => l.AddAsync(2)));
        Assert.Equal("EUR", world.State<LedgerV2>("ledger").Currency);
    }

    [Fact]
    public async Task A_suspended_call_goes_on_in_the_new_object_when_its_method_is_the_same()
    {
        await using var world = ImmortalTestHost.Start<LedgerV1>("ledger");
        TestCall<long> later = world.Call("ledger", (LedgerProxy l) => l.LaterAsync(s_hour, 10));
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(3));
        await UpgradeAsync(world);
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(1));
        await world.AdvanceAsync(s_hour);
        Assert.Equal(14, await later);
        Assert.Equal(14, world.State<LedgerV2>("ledger").Sum);
    }

    [Fact]
    public async Task A_suspended_call_goes_on_in_the_body_that_was_kept_for_it()
    {
        await using var world = ImmortalTestHost.Start<LedgerV1>("ledger");
        TestCall<long> kept = world.Call("ledger", (LedgerProxy l) => l.KeptAsync(s_hour, 10));
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(3));
        await UpgradeAsync(world);
        TestCall<long> anew = world.Call("ledger", (LedgerProxy l) => l.KeptAsync(s_hour, 10));
        await world.AdvanceAsync(2 * s_hour);
        Assert.Equal(1013, await kept);
        Assert.Equal(33, await anew);
    }

    [Fact]
    public async Task A_call_suspended_in_a_changed_method_is_named_and_the_old_version_goes_on_until_it_has_finished()
    {
        await using var world = ImmortalTestHost.Start<LedgerV1>("ledger");
        TestCall<long> changed = world.Call("ledger", (LedgerProxy l) => l.ChangedAsync(s_hour, 10));
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(3));
        ImmortalTestException refused = await Assert.ThrowsAsync<ImmortalTestException>(() => UpgradeAsync(world));
        Assert.Contains("IC-5003", refused.Message, StringComparison.Ordinal);
        Assert.Contains("Changed", refused.Message, StringComparison.Ordinal);
        await world.AdvanceAsync(s_hour);
        Assert.Equal(12, await changed);
        await UpgradeAsync(world);
        Assert.Equal(13, world.State<LedgerV2>("ledger").Sum);
    }

    [Fact]
    public async Task A_call_that_finishes_soon_is_waited_for()
    {
        await using var world = ImmortalTestHost.Start<LedgerV1>("ledger");
        TestCall<long> changed = world.Call("ledger", (LedgerProxy l) => l.ChangedAsync(TimeSpan.FromSeconds(5), 10));
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(3));
        await UpgradeAsync(world);
        Assert.Equal(12, await changed);
        Assert.Equal(13, world.State<LedgerV2>("ledger").Sum);
    }

    [Theory]
    [InlineData("throws", "planted")]
    [InlineData("rolls dice", "inside a handler only")]
    [InlineData("sends", "from handlers only")]
    [InlineData("gives null", "returned null")]
    public async Task A_conversion_that_fails_leaves_the_old_version_serving(string how, string reason)
    {
        await using var world = ImmortalTestHost.Start<LedgerV1>("ledger");
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(3));
        ImmortalTestException refused = await Assert.ThrowsAsync<ImmortalTestException>(
            () => world.UpgradeAsync<LedgerV2>("ledger", o => o.UpgradeFrom((LedgerV1 old) => Fail(how, old))));
        Assert.Contains(reason, refused.Message, StringComparison.Ordinal);
        Assert.Equal(5, await world.Call("ledger", (LedgerProxy l) => l.AddAsync(2)));
        Assert.Equal([3, 2], world.State<LedgerV1>("ledger").Entries);
    }

    [Fact]
    public async Task The_way_back_is_the_same()
    {
        await using var world = ImmortalTestHost.Start<LedgerV1>("ledger");
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(3));
        await UpgradeAsync(world);
        TestCall<long> later = world.Call("ledger", (LedgerProxy l) => l.LaterAsync(s_hour, 10));
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(4));
        await world.UpgradeAsync<LedgerV1>("ledger", static o => o.UpgradeFrom((LedgerV2 newer) => new LedgerV1(newer)));
        Assert.Equal([7], world.State<LedgerV1>("ledger").Entries);
        await world.AdvanceAsync(s_hour);
        Assert.Equal(17, await later);
    }

    [Fact]
    public async Task An_immortal_that_is_down_is_upgraded_before_it_serves()
    {
        await using var world = ImmortalTestHost.Start<LedgerV1>("ledger");
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(3));
        await world.KillAsync("ledger", restart: false);
        await UpgradeAsync(world);
        Assert.Equal(5, await world.Call("ledger", (LedgerProxy l) => l.AddAsync(2)));
        await world.KillAsync("ledger");
        Assert.Equal(6, await world.Call("ledger", (LedgerProxy l) => l.AddAsync(1)));
        Assert.Equal("EUR", world.State<LedgerV2>("ledger").Currency);
    }

    [Fact]
    public async Task The_old_app_refuses_the_new_versions_state_with_both_names()
    {
        await using var world = ImmortalTestHost.Start<LedgerV1>("ledger");
        await world.Call("ledger", (LedgerProxy l) => l.AddAsync(3));
        await UpgradeAsync(world);
        await world.KillAsync("ledger", restart: false);
        ImmortalTestException refused =
            await Assert.ThrowsAsync<ImmortalTestException>(() => world.UpgradeAsync<LedgerV1>("ledger", static _ => { }));
        Assert.Contains("LedgerV2", refused.Message, StringComparison.Ordinal);
        Assert.Contains("LedgerV1", refused.Message, StringComparison.Ordinal);
        Assert.Contains("UpgradeFrom", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Killed.Process)]
    [InlineData(Killed.Host)]
    public async Task Whatever_dies_at_whichever_step_of_an_upgrade_one_version_serves_and_every_call_is_executed_once(Killed what)
    {
        int upgraded = 0;
        int kept = 0;
        bool more = true;
        for (int step = 0; more; step += 3)
        {
            // The first version's app knows the way back: should it come back to a state that was upgraded meanwhile, it serves that.
            await using var world = ImmortalTestHost.Start<LedgerV1>("ledger", new ImmortalTestOptions { Seed = step }, static o =>
                o.UpgradeFrom((LedgerV2 newer) => new LedgerV1(newer)));
            await world.Call("ledger", (LedgerProxy l) => l.AddAsync(100));
            await world.IdleAsync();
            List<TestCall<long>> calls = [.. Enumerable.Range(0, 5).Select(_ => world.Call("ledger", (LedgerProxy l) => l.AddAsync(1)))];
            Successor successor =
                await world.BeginUpgradeAsync<LedgerV2>("ledger", static o => o.UpgradeFrom((LedgerV1 old) => new LedgerV2(old, "EUR")));
            more = await world.StepAsync(step) == step;
            await world.HasUpgradedAsync("ledger", successor);
            await world.KillAsync("ledger", what);
            for (int i = 0; i < calls.Count; i++)
            {
                Assert.Equal(101 + i, await calls[i]);
            }

            await world.RunUntilAsync(() => world.HasUpgraded("ledger", successor), "The end of the upgrade");
            await world.StartAsync("ledger");
            await world.IdleAsync();
            Assert.Equal(105, await world.Call("ledger", (LedgerProxy l) => l.TotalAsync()));
            await world.IdleAsync();
            _ = world.State<Immortal>("ledger") is LedgerV2 ? upgraded++ : kept++;
        }

        Assert.True(kept > 3 && upgraded > 3, $"{kept} times the first version served, {upgraded} times the second");
    }

    private static Task UpgradeAsync(ImmortalTestHost world) =>
        world.UpgradeAsync<LedgerV2>("ledger", static o => o.UpgradeFrom((LedgerV1 old) => new LedgerV2(old, "EUR")));

    private static LedgerV2 Fail(string how, LedgerV1 old)
    {
        switch (how)
        {
            case "rolls dice":
                old.Dice();
                break;
            case "sends":
                old.Send();
                break;
            case "throws":
                throw new InvalidOperationException("planted");
        }

        return null!;
    }
}
