using System.Buffers;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>An app that asks to leave gets its last checkpoint asked for, and may leave when that has its name.</summary>
public sealed class CleanStopTests
{
    private static readonly BindingHello s_hello = ScriptedApp.Hello with { Features = BindingFeatures.Farewell };

    [Fact]
    public async Task An_app_that_has_executed_something_may_leave_when_its_checkpoint_has_its_name()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await LeaveAsync(core);
        await AnswerAsync(app);
        await app.HearAsync(BindingMessageType.Goodbye);

        await Within.Until(() => core.Status.Snapshot().Checkpoints is { NewestLsn: >= 1 });
    }

    [Fact]
    public async Task Nothing_is_delivered_after_the_last_checkpoint_was_asked_for()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await LeaveAsync(core);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, "").Write);
        await SendAsync(app);
        await Within.Until(() => core.Status.Snapshot().Log.DurableLsn >= 2);
        await AnswerAsync(app);

        await app.HearAsync(BindingMessageType.Goodbye, before: BindingMessageType.Rpc);
    }

    [Fact] // The end of that attempt let go what the checkpoint holds back, and the next start executed it again.
    public async Task Nothing_is_delivered_after_it_either_when_an_app_that_wanted_the_place_is_refused()
    {
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(change: static options => options.UpgradeWait = TimeSpan.FromMilliseconds(50));
        await using ScriptedApp app = await LeaveAsync(core);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, "").Write);
        await SendAsync(app);
        await using ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(
            BindingMessageType.Hello,
            (ScriptedApp.Hello with { Features = BindingFeatures.Upgrades | BindingFeatures.TakesOver }).Write);
        await next.HearAsync(BindingMessageType.Checkpoint);
        await next.SayAsync(BindingMessageType.StateVersion, new StateVersion("v1", "v2").Write);
        await next.HearAsync(BindingMessageType.Rpc);
        await next.DoneAsync(1);
        await next.HearAsync(BindingMessageType.Refused);
        await Within.Until(() => core.Status.Snapshot().Upgrade is { State: "failed" });
        await AnswerAsync(app);

        Assert.Null(await Record.ExceptionAsync(() => app.HearAsync(BindingMessageType.Goodbye, before: BindingMessageType.Rpc)));
    }

    [Theory]
    [InlineData(true, 10)] // Nothing was executed since the first checkpoint.
    [InlineData(false, 0)] // None is wanted.
    public async Task An_app_may_leave_at_once_when_no_checkpoint_is_due_or_wanted(bool idle, int seconds)
    {
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(change: options => options.CheckpointOnStop = TimeSpan.FromSeconds(seconds));
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(s_hello);
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DoneAsync(1);
        if (idle)
        {
            core.Core.RequestCheckpoint();
            await app.HearAsync(BindingMessageType.TakeCheckpoint);
            await AnswerAsync(app);
            await Within.Until(() => core.Status.Snapshot().Checkpoints is { NewestLsn: >= 1 });
        }

        await AskAsync(app);

        await app.HearAsync(BindingMessageType.Goodbye, before: BindingMessageType.TakeCheckpoint);
    }

    [Fact]
    public async Task An_app_that_does_not_answer_may_leave_when_the_time_is_over()
    {
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(change: static options => options.CheckpointOnStop = TimeSpan.FromMilliseconds(50));
        await using ScriptedApp app = await LeaveAsync(core);

        await app.HearAsync(BindingMessageType.Goodbye);
        Assert.Contains(core.Lines.All, static line => line.Contains("--checkpoint-on-stop", StringComparison.Ordinal));
    }

    // It has executed the first record, asks to leave, and is asked for its last checkpoint.
    private static async Task<ScriptedApp> LeaveAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(s_hello);
        await app.HearAsync(BindingMessageType.Rpc); // OnFirstStart, in record 1.
        await app.DoneAsync(1);
        await AskAsync(app);
        await app.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.Goodbye);
        return app;
    }

    private static Task AskAsync(ScriptedApp app) =>
        app.SayAsync(BindingMessageType.Drain, static output => new ByteWriter(output).WriteString("a test stops it"));

    private static Task SendAsync(ScriptedApp app) => app.SayAsync(BindingMessageType.Impulses, static output =>
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(0);
        writer.WriteVarint(1);
        writer.WriteZigZag(5);
        writer.WriteBytes([0, 0, 2, 2, 0]);
    });

    private static Task AnswerAsync(ScriptedApp app) =>
        app.SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[0]));
}
