using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>What bindings of the original system rely on at the legacy port pair; docs/protocol.md section 6.</summary>
public sealed class LegacyPairTests
{
    public static TheoryData<string, string> InitialMessages => new()
    {
        { "322e302e31", "0c09322e302e31" }, // 2.0.1: a version.
        { "0a68656c6c6f", "0e090a68656c6c6f" }, // Its length, and hello.
        { "", "0209" },
        { "0800000201", "0c090800000201" }, // A call, as docs/protocol.md had it once.
    };

    [Theory]
    [MemberData(nameof(InitialMessages))]
    public async Task The_initial_message_is_any_bytes_and_comes_back_as_it_was(string data, string message)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        await using (ScriptedLegacyApp first = await ScriptedLegacyApp.ConnectAsync(core))
        {
            await first.HearAsync();
            await first.SayAsync(BindingMessageType.InitialMessage, Convert.FromHexString(data));
            await first.CheckpointAsync();
            Assert.Equal(Convert.FromHexString(message), (await first.HearAsync()).Messages);
        }

        await using ScriptedLegacyApp second = await ScriptedLegacyApp.ConnectAsync(core);
        await second.RestoreAsync();
        Assert.Equal(Convert.FromHexString(message), (await second.HearAsync()).Messages);
    }

    [Fact]
    public async Task Nothing_is_delivered_between_a_request_for_a_checkpoint_and_the_checkpoint()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        await app.SayAsync(BindingMessageType.TakeCheckpoint);
        await app.HearOwnAsync(BindingMessageType.TakeCheckpoint);
        for (byte i = 1; i <= 10; i++)
        {
            ulong before = core.Status.Snapshot().Log.DurableLsn;
            await app.ForkAsync(i);
            await Within.Until(() => core.Status.Snapshot().Log.DurableLsn > before);
        }

        Assert.Empty(app.Unheard());
        await app.CheckpointAsync();
        Assert.Equal(new byte[] { 8, 0, 0, 2, 1 }, (await app.HearAsync()).Messages);
    }

    [Fact]
    public async Task An_app_whose_turns_cannot_be_seen_is_not_said_to_be_stuck_in_one()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options =>
        {
            ScriptedLegacyApp.Ports(options);
            options.Watchdog = TimeSpan.FromMilliseconds(1);
        });
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        await app.ForkAsync(1);
        await app.HearAsync();
        double since = core.Status.Snapshot().UptimeSeconds;
        await Within.Until(() => core.Status.Snapshot().UptimeSeconds > since + 0.2); // Ten looks at the app.
        Assert.DoesNotContain(core.Lines.All, static line => line.Contains("IC-1038", StringComparison.Ordinal));
        Assert.Equal("", core.Status.Snapshot().App.Stuck);
        Assert.Equal(core.Status.Snapshot().Log.DurableLsn, core.Status.Snapshot().App.Lsn);
    }

    [Fact] // What there is to say has no form there: bytes of version 2 would stand in the midst of a record.
    public async Task An_app_of_the_published_protocol_hears_nothing_but_its_end_when_the_coordinator_stops()
    {
        Task<byte[]> rest;
        ScriptedLegacyApp app;
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports))
        {
            app = await ScriptedLegacyApp.ConnectAsync(core);
            await app.StartFirstAsync();
            rest = app.HearRestAsync();
        }

        Assert.Empty(await rest.OrFail());
        await app.DisposeAsync();
    }

    [Fact]
    public async Task An_app_that_wants_the_place_of_one_of_the_published_protocol_is_refused()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        await using ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, (ScriptedApp.Hello with { Features = BindingFeatures.Upgrades | BindingFeatures.TakesOver }).Write);
        BindingRefused refused = await next.HearRefusalAsync();
        Assert.Equal("IC-5004", refused.Code);
        Assert.Contains("published protocol", refused.Reason, StringComparison.Ordinal);
        await app.ForkAsync(1);
        Assert.Equal(new byte[] { 8, 0, 0, 2, 1 }, (await app.HearAsync()).Messages);
    }
}
