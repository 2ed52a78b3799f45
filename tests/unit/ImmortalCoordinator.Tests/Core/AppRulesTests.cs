using System.Buffers;
using Ambrosia.Coordinator.Errors;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;
using static Ambrosia.ImmortalCoordinator.Tests.Support.ForkingApp;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>What a coordinator does not take from its app, and what of an app that died counts.</summary>
public sealed class AppRulesTests
{
    [Fact] // docs/internals/exactly-once.md H5e
    public async Task An_impulse_before_the_app_has_consumed_BecomingPrimary_ends_its_session()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.StartFirstAsync();
        await app.DefineAsync();
        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            await app.SayAsync(BindingMessageType.Impulses, static output => output.Write((ReadOnlySpan<byte>)[Self, 1, 8, 0, 0, 2, 2]));
            await app.HearAsync(BindingMessageType.Goodbye); // Which never comes: the stream ends, perhaps while this still speaks.
        });
    }

    [Fact] // docs/internals/effect-rules.md E19
    public async Task An_app_cannot_send_the_outcome_of_an_effect_to_another_instance()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DefineAsync();
        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            await app.SayAsync(BindingMessageType.Impulses, static output => output.Write((ReadOnlySpan<byte>)[Shop, 1, 8, 0, 0, 9, 2]));
            await app.HearAsync(BindingMessageType.Goodbye); // Which never comes: the stream ends, perhaps while this still speaks.
        });
        Assert.DoesNotContain(core.Status.Snapshot().Outputs, static output => output is { Peer: "shop", Total: > 0 });
    }

    [Fact] // docs/internals/exactly-once.md H8
    public async Task Outputs_of_a_turn_that_did_not_end_are_those_of_the_next_app()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using (ScriptedApp first = await core.ConnectAppAsync())
        {
            await first.BecomePrimaryAsync();
            await first.HearAsync(BindingMessageType.Rpc);
            await first.DefineAsync();
            await first.ForkAsync(Self, 77); // And dies before it says that the turn has ended.
        }

        await using ScriptedApp second = await core.ConnectAppAsync();
        await ReplayAsync(second);
        await second.ForkAsync(Self, 88);
        await second.DoneAsync(1);
        await second.HearAsync(BindingMessageType.RecordInfo);
        Assert.Equal([0, 2, 1, 88], await second.HearAsync(BindingMessageType.Rpc));
    }

    [Fact] // A connection has 65,536 indexes, and an instance as many destinations as it likes.
    public async Task An_index_that_is_defined_again_within_a_turn_means_the_new_destination_from_there_on()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DefineAsync();
        await app.ForkAsync(Shop, 66);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(Shop, "").Write);
        await app.ForkAsync(Shop, 77);
        await app.DoneAsync(1);
        await app.HearAsync(BindingMessageType.RecordInfo);
        Assert.Equal([0, 2, 1, 77], await app.HearAsync(BindingMessageType.Rpc));
        await Within.Until(() => core.Status.Snapshot().Outputs.Any(static output => output is { Peer: "shop", Total: 1 }));
    }

    [Fact] // G4, docs/internals/exactly-once.md H19
    public async Task An_app_whose_replay_sends_to_somebody_else_stops_the_instance()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await ForkingApp.LiveAsync(core);
        await using ScriptedApp second = await core.ConnectAppAsync();
        await ReplayAsync(second);
        try
        {
            await second.ForkAsync(Shop, 1);
            await second.DoneAsync(1);
        }
        catch (IOException)
        {
            // The instance may have ended before the app has heard that it said everything.
        }

        CoordinatorException diverged = await Assert.ThrowsAsync<CoordinatorException>(() => core.Running.OrFail());
        Assert.Equal("IC-6001", diverged.Code);
    }

    [Fact]
    public async Task An_app_that_cannot_save_its_state_goes_on_and_is_asked_again()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await Within.Until(() => core.Status.Snapshot().Role == "primary");
        Task<ulong> wanted = core.Status.CheckpointAsync(CancellationToken.None);
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        await app.SayAsync(BindingMessageType.CheckpointDeclined, new CheckpointDeclined("planted").Write);
        InvalidOperationException declined = await Assert.ThrowsAsync<InvalidOperationException>(() => wanted.OrFail());
        Assert.Contains("the app cannot save its state: planted", declined.Message, StringComparison.Ordinal);

        wanted = core.Status.CheckpointAsync(CancellationToken.None);
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        await app.SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[0]));
        await wanted.OrFail();
    }

    [Theory]
    [InlineData(false)] // The first checkpoint, without which nothing can begin.
    [InlineData(true)] // Nobody has asked.
    public async Task A_checkpoint_that_cannot_be_declined_ends_the_session_of_who_does(bool isPrimary)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using (ScriptedApp app = await core.ConnectAppAsync())
        {
            await (isPrimary ? app.BecomePrimaryAsync() : app.AttachFirstAsync());
            await Assert.ThrowsAnyAsync<IOException>(async () =>
            {
                await app.SayAsync(BindingMessageType.CheckpointDeclined, new CheckpointDeclined("planted").Write);
                await app.HearAsync(BindingMessageType.Goodbye); // Which never comes.
            });
        }

        await using ScriptedApp next = await core.ConnectAppAsync();
        await (isPrimary ? ReplayAsync(next) : next.BecomePrimaryAsync());
    }

    private static async Task ReplayAsync(ScriptedApp app)
    {
        await app.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        Assert.Equal(BindingMode.Reattach, BindingWelcome.Read(await app.HearAsync(BindingMessageType.Welcome)).Mode);
        await app.HearAsync(BindingMessageType.Checkpoint);
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DefineAsync();
    }
}
