using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Transport;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Poison;

/// <summary>The real core and an app that dies in a message: who is blamed, what happens then, and what is remembered.</summary>
public sealed class PoisonTests
{
    [Fact]
    public async Task A_message_that_ends_its_app_three_times_running_puts_the_instance_on_hold_and_is_named()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses());
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(core, 5, 6, 7);
        Assert.Equal(3, record.MessageCount);
        await PoisonedApp.DieAgainAsync(core, record.Lsn, 1);
        Assert.Empty(core.Status.Snapshot().App.OnHold);
        await PoisonedApp.DieAgainAsync(core, record.Lsn, 1);
        BindingRefused refused = await RefusalAsync(core, PoisonedApp.Hello);
        Assert.Equal("IC-1036", refused.Code);
        Assert.Contains($"message {record.Lsn}:1, an impulse of method 6 from bank has ended the app 3 times running, last with signal 6",
            refused.Reason, StringComparison.Ordinal);
        CoordinatorStatus status = core.Status.Snapshot();
        Assert.False(status.Ready);
        Assert.Contains($"{record.Lsn}:1", status.NotReadyReason, StringComparison.Ordinal);
        Assert.Contains(core.Lines.All, line => line.StartsWith("1506 IC-1036 on hold", StringComparison.Ordinal));
    }

    [Fact]
    public async Task What_is_suspected_comes_message_by_message_each_behind_the_end_of_the_one_before()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses());
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(core, 5, 6);
        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(core);
        RecordInfo again = await app.ReplayToAsync(record.Lsn);
        Assert.Equal(RecordInfo.InSteps | RecordInfo.Replay, again.Flags);
        await app.HearAsync(BindingMessageType.Rpc);
        Task<byte[]> second = app.HearAsync(BindingMessageType.Rpc);
        await app.BeginAsync(record.Lsn, 0);
        Assert.False(second.IsCompleted);
        await app.ReportAsync(record.Lsn, 1, complete: false);
        await second.OrFail();
        await app.ReportAsync(record.Lsn, 2, complete: true);
        await app.HearAsync(BindingMessageType.BecomingPrimary);
    }

    [Fact] // Otherwise nobody would ever be named, and the app would die of it for ever.
    public async Task A_large_record_comes_in_steps_too()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses());
        RecordInfo record;
        await using (ScriptedApp app = await core.ConnectAppAsync())
        {
            await app.BecomePrimaryAsync(PoisonedApp.Hello);
            RecordInfo first = await app.HearRecordAsync();
            await app.ReportAsync(first.Lsn, 1, complete: true);
            await app.SendLargeImpulseAsync(300_000);
            record = await app.HearRecordAsync();
        }

        await Within.Until(() => core.Status.Snapshot().Totals.AppDeaths == 1);
        await using ScriptedApp next = await PoisonedApp.ComeBackAsync(core);
        RecordInfo again = await next.ReplayToAsync(record.Lsn);
        Assert.True(again.PayloadSize > 300_000);
        Assert.Equal(RecordInfo.InSteps | RecordInfo.Replay, again.Flags);
    }

    [Fact] // It could survive the message before the decision is durable, and what that sends would leave.
    public async Task An_app_at_work_is_ended_before_a_decision_about_its_message_is_logged_and_none_is_let_in_meanwhile()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses(), log: disk.Environment);
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(core, 5, 6);
        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(core);
        await app.ReplayToAsync(record.Lsn);
        await app.HearAsync(BindingMessageType.Rpc);
        disk.Hold();
        Task<string> decision = core.Status.ChangeDeadLetterAsync(DeadLetterVerb.Quarantine, new MessagePosition(record.Lsn, 0), default);
        await disk.UntilHeldAsync();
        await using ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, PoisonedApp.Hello.Write);
        await Within.Until(() => core.Status.Snapshot().Role == "waiting for the app");
        bool undecided = !decision.IsCompleted;
        disk.Release();
        Assert.True(undecided);
        Assert.Contains("is quarantined", await decision, StringComparison.Ordinal);
        await next.HearAsync(BindingMessageType.Skip, before: BindingMessageType.RecordInfo);
    }

    [Fact]
    public async Task Ends_from_outside_are_nobodys_fault_however_often_they_come()
    {
        var processes = new AppProcesses();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: processes);
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(core, 5);
        processes.End = new AppEnd(AppEndCause.Outside, "signal 9");
        for (int i = 0; i < 10; i++)
        {
            await PoisonedApp.DieUnseenAsync(core, record.Lsn, 0);
        }

        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(core);
        Assert.Equal(1, core.Status.Snapshot().Totals.AppDeaths);
    }

    [Fact]
    public async Task An_app_that_dies_before_it_begins_anything_blames_no_message()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses());
        await PoisonedApp.LiveAndDieAsync(core, 5);
        for (int i = 0; i < 10; i++)
        {
            await using ScriptedApp broken = await PoisonedApp.ComeBackAsync(core);
            await broken.HearRecordAsync();
        }

        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(core);
        Assert.Empty((await core.Status.DeadLettersAsync(null, default)).Hold);
    }

    [Fact]
    public async Task A_message_that_was_survived_and_one_that_died_elsewhere_begin_anew()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses());
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(core, 5, 6);
        await PoisonedApp.DieAgainAsync(core, record.Lsn, 0);
        await PoisonedApp.DieAgainAsync(core, record.Lsn, 1);
        await PoisonedApp.DieAgainAsync(core, record.Lsn, 1);
        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(core);
        DeadLettersStatus status = await core.Status.DeadLettersAsync(null, default);
        Assert.Contains($"{record.Lsn}:1, 2 deaths running", status.Suspect, StringComparison.Ordinal);
        await app.ReplayToAsync(record.Lsn);
        await app.ReportAsync(record.Lsn, 2, complete: true);
        await WithoutSuspectAsync(core);
    }

    [Fact]
    public async Task The_count_and_the_hold_outlive_the_coordinator()
    {
        var log = new LogStoreEnvironment();
        RecordInfo record;
        await using (CoreUnderTest first = await CoreUnderTest.StartAsync(processes: new AppProcesses(), log: log))
        {
            record = await PoisonedApp.LiveAndDieAsync(first, 5);
            await PoisonedApp.DieAgainAsync(first, record.Lsn, 0);
        }

        await using (CoreUnderTest second = await CoreUnderTest.StartAsync(processes: new AppProcesses(), log: log))
        {
            await PoisonedApp.DieAgainAsync(second, record.Lsn, 0);
            Assert.Equal("IC-1036", (await RefusalAsync(second, PoisonedApp.Hello)).Code);
        }

        await using CoreUnderTest third = await CoreUnderTest.StartAsync(processes: new AppProcesses(), log: log);
        Assert.Equal("IC-1036", (await RefusalAsync(third, PoisonedApp.Hello)).Code);
    }

    [Fact]
    public async Task Another_build_is_let_in_and_so_is_the_same_after_a_retry()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses());
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(core, 5);
        await HoldAsync(core, record.Lsn);
        await (await PoisonedApp.ComeBackAsync(core, PoisonedApp.Hello with { AppVersion = "8" })).DisposeAsync();
        await HoldAsync(core, record.Lsn);
        Assert.Contains("let in again", await core.Status.ChangeDeadLetterAsync(DeadLetterVerb.Retry, default, default),
            StringComparison.Ordinal);
        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(core);
    }

    [Fact]
    public async Task A_quarantined_message_is_kept_and_every_later_app_is_told_before_its_first_record()
    {
        var log = new LogStoreEnvironment();
        RecordInfo record;
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses(), log: log))
        {
            record = await PoisonedApp.LiveAndDieAsync(core, 5, 6, 7);
            await PoisonedApp.DieAgainAsync(core, record.Lsn, 1);
            await PoisonedApp.DieAgainAsync(core, record.Lsn, 1);
            Assert.Contains("is quarantined", await core.Status.ChangeDeadLetterAsync(DeadLetterVerb.Quarantine,
                new MessagePosition(record.Lsn, 1), default), StringComparison.Ordinal);
            await ExpectSkipAsync(core, record.Lsn, 1);
        }

        await using CoreUnderTest recovered = await CoreUnderTest.StartAsync(processes: new AppProcesses(), log: log);
        await ExpectSkipAsync(recovered, record.Lsn, 1);
        DeadLetterStatus letter =
            Assert.Single((await recovered.Status.DeadLettersAsync(new MessagePosition(record.Lsn, 1), default)).Letters);
        Assert.Equal(("bank", "an impulse of method 6", "operator", "kA=="), (letter.From, letter.What, letter.By, letter.Arguments));
    }

    [Fact]
    public async Task The_policy_quarantines_by_itself_and_serves_on()
    {
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(processes: new AppProcesses(), change: static options => options.QuarantineAfter = 2);
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(core, 5, 6);
        await PoisonedApp.DieAgainAsync(core, record.Lsn, 1);
        await ExpectSkipAsync(core, record.Lsn, 1);
        Assert.Equal("--quarantine-after", Assert.Single((await core.Status.DeadLettersAsync(null, default)).Letters).By);
    }

    [Fact]
    public async Task Only_what_killed_the_app_can_be_quarantined_and_nothing_that_was_executed_before()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses());
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(core, 5, 6);
        await using (ScriptedApp app = await PoisonedApp.ComeBackAsync(core))
        {
            await app.ReplayToAsync(record.Lsn);
            await app.ReportAsync(record.Lsn, 1, complete: false);
            await app.HearAsync(BindingMessageType.Rpc);
            await app.HearAsync(BindingMessageType.Rpc);
        }

        await Within.Until(() => core.Status.Snapshot().Totals.AppDeaths == 2);

        // A life that comes less far than one before: what it dies in now was executed, and its outputs have left.
        await PoisonedApp.DieAgainAsync(core, record.Lsn, 0);
        await PoisonedApp.DieAgainAsync(core, record.Lsn, 0);
        Assert.Contains("it cannot be skipped", (await core.Status.DeadLettersAsync(null, default)).Hold, StringComparison.Ordinal);
        await RefusesAsync(core, DeadLetterVerb.Quarantine, new MessagePosition(record.Lsn, 0), "IC-1037");
        await RefusesAsync(core, DeadLetterVerb.Quarantine, new MessagePosition(record.Lsn, 1), "IC-1037");
        await RefusesAsync(core, DeadLetterVerb.Drop, new MessagePosition(record.Lsn, 0), "no dead letter");
    }

    [Fact] // An earlier life of the coordinator may have given it to an app that survived it, and that may have sent something to the shop.
    public async Task What_an_earlier_life_may_have_executed_is_quarantined_only_when_everybody_has_said_what_they_got()
    {
        var log = new LogStoreEnvironment();
        RecordInfo record;
        await using (CoreUnderTest first = await CoreUnderTest.StartAsync(processes: new AppProcesses(), log: log))
        {
            await using ScriptedApp app = await first.ConnectAppAsync();
            await app.BecomePrimaryAsync(PoisonedApp.Hello);
            RecordInfo start = await app.HearRecordAsync();
            await SendToShopAsync(app);
            await app.ReportAsync(start.Lsn, 1, complete: true);
            await app.SayAsync(BindingMessageType.Impulses, static output =>
                new ByteWriter(output).WriteBytes([0, 1, .. PoisonedApp.Impulse(5)]));
            record = await app.HearRecordAsync();
        }

        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses(), log: log);
        await HoldBehindOutputsAsync(core, record.Lsn);
        await RefusesAsync(core, DeadLetterVerb.Quarantine, new MessagePosition(record.Lsn, 0), "not every peer has answered");
        await using AnsweringPeer shop = await AnsweringPeer.StartAsync(core, "shop", durable: 0);
        await Within.Until(() => core.Lines.All.Any(static line => line.StartsWith("1401 ", StringComparison.Ordinal)));
        await core.Status.ChangeDeadLetterAsync(DeadLetterVerb.Retry, default, default);
        await HoldBehindOutputsAsync(core, record.Lsn);
        Assert.Contains("is quarantined", await core.Status.ChangeDeadLetterAsync(DeadLetterVerb.Quarantine,
            new MessagePosition(record.Lsn, 0), default), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_dead_letter_that_is_redriven_is_a_new_input_once_and_one_that_is_dropped_is_gone()
    {
        var log = new LogStoreEnvironment();
        RecordInfo record;
        await using (CoreUnderTest core =
            await CoreUnderTest.StartAsync(processes: new AppProcesses(), change: static options => options.QuarantineAfter = 2, log: log))
        {
            record = await PoisonedApp.LiveAndDieAsync(core, 5, 6);
            await PoisonedApp.DieAgainAsync(core, record.Lsn, 0);
            await PoisonedApp.DieAgainAsync(core, record.Lsn, 1);
            await PoisonedApp.DieAgainAsync(core, record.Lsn, 1);
            Assert.Equal(2, (await core.Status.DeadLettersAsync(null, default)).Letters.Count);
            await core.Status.ChangeDeadLetterAsync(DeadLetterVerb.Redrive, new MessagePosition(record.Lsn, 0), default);
            await core.Status.ChangeDeadLetterAsync(DeadLetterVerb.Drop, new MessagePosition(record.Lsn, 1), default);
            await RefusesAsync(core, DeadLetterVerb.Redrive, new MessagePosition(record.Lsn, 0), "no dead letter");
        }

        await using CoreUnderTest recovered = await CoreUnderTest.StartAsync(processes: new AppProcesses(), log: log);
        Assert.Empty((await recovered.Status.DeadLettersAsync(null, default)).Letters);
        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(recovered);
        await app.ReplayToAsync(record.Lsn);
        await app.ReportAsync(record.Lsn, 2, complete: true);
        RecordInfo again = await app.HearRecordAsync();
        Assert.Equal(1, again.MessageCount);
        Assert.Equal(PoisonedApp.Impulse(5)[2..], await app.HearAsync(BindingMessageType.Rpc));
        await app.ReportAsync(again.Lsn, 1, complete: true);
        await app.HearAsync(BindingMessageType.BecomingPrimary);
    }

    [Fact]
    public async Task A_message_whose_turn_does_not_end_is_named_while_it_does_not()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses(), change: static options =>
            options.Watchdog = TimeSpan.FromMilliseconds(1));
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(PoisonedApp.Hello);
        RecordInfo record = await app.HearRecordAsync();
        await app.BeginAsync(record.Lsn, 0);
        await Within.Until(() => core.Status.Snapshot().App.Stuck.Contains($"{record.Lsn}:0", StringComparison.Ordinal));
        Assert.False(core.Status.Snapshot().Ready);
        Assert.StartsWith("IC-1038 the app has not moved", core.Status.Snapshot().NotReadyReason, StringComparison.Ordinal);
        await app.ReportAsync(record.Lsn, 1, complete: true);
        await Within.Until(() => core.Status.Snapshot().App.Stuck.Length == 0 && core.Status.Snapshot().Ready);
    }

    [Fact]
    public async Task An_idle_app_whose_process_is_stopped_is_not_ready_until_it_goes_on()
    {
        var processes = new AppProcesses();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: processes, change: static options =>
        {
            options.Heartbeat = TimeSpan.FromMilliseconds(20);
            options.Watchdog = TimeSpan.FromMilliseconds(1);
        });
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(PoisonedApp.Hello);
        RecordInfo record = await app.HearRecordAsync();
        await app.ReportAsync(record.Lsn, 1, complete: true);
        await Within.Until(() => core.Status.Snapshot().Ready);
        processes.AreStopped = true;
        await Within.Until(() => core.Status.Snapshot() is { Ready: false, App.Stuck.Length: > 0 });
        Assert.StartsWith("IC-1038 the app has not moved", core.Status.Snapshot().NotReadyReason, StringComparison.Ordinal);
        Assert.Contains(core.Lines.All, static line =>
            line.Contains("IC-1038 the app's process has been stopped", StringComparison.Ordinal));
        processes.AreStopped = false;
        await Within.Until(() => core.Status.Snapshot() is { Ready: true, App.Stuck.Length: 0 });
    }

    /// <summary>Apps that send something to the shop in the first turn, and die in the first message of this record.</summary>
    private static async Task HoldBehindOutputsAsync(CoreUnderTest core, ulong lsn)
    {
        while ((await core.Status.DeadLettersAsync(null, default)).Hold.Length == 0)
        {
            long deaths = core.Status.Snapshot().Totals.AppDeaths;
            await using (ScriptedApp app = await PoisonedApp.ComeBackAsync(core))
            {
                RecordInfo first = await app.HearRecordAsync();
                await SendToShopAsync(app);
                await app.ReportAsync(first.Lsn, first.MessageCount, complete: true);
                await app.ReplayToAsync(lsn);
                await app.HearAsync(BindingMessageType.Rpc);
                await app.BeginAsync(lsn, 0);
            }

            await Within.Until(() => core.Status.Snapshot().Totals.AppDeaths > deaths);
        }
    }

    private static async Task SendToShopAsync(ScriptedApp app)
    {
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, "").Write);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(1, "shop").Write);
        await app.SayAsync(BindingMessageType.Outputs, static output => new ByteWriter(output).WriteBytes([1, 1, 10, 0, 0, 2, 1, 7]));
    }

    private static async Task HoldAsync(CoreUnderTest core, ulong lsn)
    {
        for (int i = 0; i < 3 && (await core.Status.DeadLettersAsync(null, default)).Hold.Length == 0; i++)
        {
            await PoisonedApp.DieAgainAsync(core, lsn, 0);
        }

        Assert.Equal("IC-1036", (await RefusalAsync(core, PoisonedApp.Hello)).Code);
    }

    private static async Task ExpectSkipAsync(CoreUnderTest core, ulong lsn, int index)
    {
        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(core);
        Assert.Equal(new MessagePosition(lsn, index),
            MessagePosition.ReadSkip(await app.HearAsync(BindingMessageType.Skip, before: BindingMessageType.RecordInfo)));
        Assert.NotEqual(0UL, (await app.HearRecordAsync()).Lsn);
    }

    private static async Task RefusesAsync(CoreUnderTest core, DeadLetterVerb verb, MessagePosition position, string why)
    {
        InvalidOperationException refused =
            await Assert.ThrowsAsync<InvalidOperationException>(() => core.Status.ChangeDeadLetterAsync(verb, position, default));
        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
    }

    private static async Task<BindingRefused> RefusalAsync(CoreUnderTest core, BindingHello hello)
    {
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, hello.Write);
        return await app.HearRefusalAsync();
    }

    private static async Task WithoutSuspectAsync(CoreUnderTest core)
    {
        string suspect = "?";
        for (int i = 0; i < 200 && suspect.Length > 0; i++)
        {
            suspect = (await core.Status.DeadLettersAsync(null, default)).Suspect;
            await Task.Delay(20);
        }

        Assert.Empty(suspect);
    }
}
