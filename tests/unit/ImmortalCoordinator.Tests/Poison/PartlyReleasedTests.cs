using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Poison;

/// <summary>
/// A turn whose outputs were being released when its app was lost, because a destination had used up its share of the scratch space
/// (docs/internals/exactly-once.md H8, H18). What one destination has got cannot be taken back: the message must not be skipped.
/// </summary>
public sealed class PartlyReleasedTests
{
    private const int Size = 5000;
    private readonly AppProcesses _processes = new();

    [Fact]
    public async Task A_message_whose_outputs_have_left_in_part_when_its_app_died_cannot_be_skipped()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: _processes, change: Tighten);
        MessagePosition message = await LosePartlyReleasedAsync(core);
        await RequireRefusedAsync(core, message);
    }

    [Fact] // Of an app that somebody has killed nobody is suspected; of the next one, which dies by itself, the message is.
    public async Task Nor_can_it_when_that_app_was_killed_from_outside_and_the_next_one_dies_before_it_sends_anything()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: _processes, change: Tighten);
        _processes.End = new AppEnd(AppEndCause.Outside, "signal 9");
        MessagePosition message = await LosePartlyReleasedAsync(core);
        _processes.End = new AppEnd(AppEndCause.Own, "signal 6");
        await using (ScriptedApp next = await PoisonedApp.ComeBackAsync(core))
        {
            await FillAsync(next, await next.HearRecordAsync());
            await next.HearRecordAsync();
            await next.BeginAsync(message.Lsn, message.Index);
        }

        await Within.Until(() => core.Status.Snapshot().Totals.AppDeaths == 1);
        await RequireRefusedAsync(core, message);
    }

    [Fact] // Nothing of it is stored again: an app that sends nothing new to one that is away goes on.
    public async Task An_app_that_comes_again_does_not_wait_for_room_for_what_was_sent_before()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: _processes, change: Tighten);
        await using (ScriptedApp first = await core.ConnectAppAsync())
        {
            await first.BecomePrimaryAsync(PoisonedApp.Hello);
            await FillAsync(first, await first.HearRecordAsync());
            await Within.Until(() => core.Status.Snapshot().App.Lsn >= 1);
        }

        await Within.Until(() => !core.Status.Snapshot().App.Attached);
        await using ScriptedApp next = await PoisonedApp.ComeBackAsync(core);
        await FillAsync(next, await next.HearRecordAsync());
        await next.HearAsync(BindingMessageType.BecomingPrimary);
        Assert.Contains("to shop: 2 entries, generated 2,", core.Describe(), StringComparison.Ordinal);
    }

    /// <summary>
    /// An app whose second record sends to the teller and to the shop, of which only the teller has room. It dies, which shows when it is
    /// given the next record; returns when that was judged.
    /// </summary>
    private static async Task<MessagePosition> LosePartlyReleasedAsync(CoreUnderTest core)
    {
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(PoisonedApp.Hello);
        await FillAsync(app, await app.HearRecordAsync());
        await app.SendImpulsesAsync(5);
        RecordInfo record = await app.HearRecordAsync();
        await app.BeginAsync(record.Lsn, 0);
        await app.SendForkAsync("teller", 1);
        await app.SendForkAsync("shop", 1);
        await app.ReportAsync(record.Lsn, 1, complete: true);
        await Within.Until(() => core.Describe().Contains("to teller: 1 entries, generated 1,", StringComparison.Ordinal));
        Assert.Contains("to shop: 2 entries, generated 2,", core.Describe(), StringComparison.Ordinal);
        app.Abort();
        await using ScriptedPeer peer = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello with { From = "auction" });
        await peer.HearWatermarkAsync(FrameKind.Answer);
        await peer.SendOneAsync(1);
        await Within.Until(() => core.Lines.All.Any(static line => line.StartsWith("1502 ", StringComparison.Ordinal)));
        return new MessagePosition(record.Lsn, 0);
    }

    // Ends a record that sends so much to the shop that the next message for it has to wait.
    private static async Task FillAsync(ScriptedApp app, RecordInfo record)
    {
        await app.SendForkAsync("shop", Size);
        await app.SendForkAsync("shop", Size);
        await app.ReportAsync(record.Lsn, 1, complete: true);
    }

    private static async Task RequireRefusedAsync(CoreUnderTest core, MessagePosition message)
    {
        InvalidOperationException refused = await Assert.ThrowsAsync<InvalidOperationException>(
            () => core.Status.ChangeDeadLetterAsync(DeadLetterVerb.Quarantine, message, default));
        Assert.Contains("has left", refused.Message, StringComparison.Ordinal);
    }

    private static void Tighten(CoordinatorOptions options) => (options.MaxSpill, options.MaxBuffered) = (Size, 1);
}
