using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Outside;
using Ambrosia.ImmortalCoordinator.Tests.Outside;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Stores;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Poison;

/// <summary>
/// What was told to a caller from outside cannot be taken back, and the caller cannot be asked: such a message is not quarantined unless a
/// person takes it upon himself (docs/internals/outside-calls.md X17).
/// </summary>
public sealed class ToldOutsideTests
{
    private readonly LogStoreEnvironment _log = new();

    [Fact] // X17
    public async Task A_message_that_an_earlier_life_may_have_answered_to_a_caller_is_quarantined_by_force_only()
    {
        ulong lsn = await TellAsync();
        await using CoreUnderTest core = await StartAsync();
        for (int i = 0; i < 3; i++)
        {
            await PoisonedApp.DieAgainAsync(core, lsn, 0);
        }

        Assert.Empty((await core.Status.DeadLettersAsync(null, default)).Letters);
        string hold = (await core.Status.DeadLettersAsync(null, default)).Hold;
        Assert.Contains("a caller from outside may have been told", hold, StringComparison.Ordinal);
        Assert.Contains($"'ambrosia deadletters quarantine bank {lsn}:0 --force'", hold, StringComparison.Ordinal);
        await RefusesAsync(core, DeadLetterVerb.Quarantine, lsn, "a caller from outside may have been told");
        string done = await core.Status.ChangeDeadLetterAsync(DeadLetterVerb.QuarantineForced, new MessagePosition(lsn, 0), default);
        Assert.Contains("is quarantined", done, StringComparison.Ordinal);
        Assert.Equal("operator, by force", Assert.Single((await core.Status.DeadLettersAsync(null, default)).Letters).By);
    }

    [Fact]
    public async Task What_this_life_alone_has_given_to_an_app_is_quarantined_as_ever()
    {
        ulong told = await TellAsync();
        await using CoreUnderTest core = await StartAsync();
        ulong lsn = await DieInNextAsync(core, told);
        await DieAgainAsync(core, lsn, told);
        Assert.Equal("--quarantine-after", Assert.Single((await core.Status.DeadLettersAsync(null, default)).Letters).By);
    }

    [Fact] // While it was on hold none was let in that could have answered.
    public async Task What_an_earlier_life_left_on_hold_is_quarantined_without_force()
    {
        ulong told = await TellAsync();
        ulong lsn;
        await using (CoreUnderTest core = await StartAsync(quarantineAfter: 0))
        {
            lsn = await DieInNextAsync(core, told);
            await DieAgainAsync(core, lsn, told);
            await DieAgainAsync(core, lsn, told);
            Assert.NotEmpty((await core.Status.DeadLettersAsync(null, default)).Hold);
        }

        await using CoreUnderTest next = await StartAsync(quarantineAfter: 0);
        string done = await next.Status.ChangeDeadLetterAsync(DeadLetterVerb.Quarantine, new MessagePosition(lsn, 0), default);
        Assert.Contains("is quarantined", done, StringComparison.Ordinal);
    }

    [Fact] // A peer can be asked, so nobody has to take anything upon himself.
    public async Task Force_is_no_answer_of_a_peer()
    {
        ulong lsn;
        await using (CoreUnderTest core = await StartAsync())
        {
            await using ScriptedApp app = await core.ConnectAppAsync();
            await app.BecomePrimaryAsync(PoisonedApp.Hello);
            RecordInfo first = await app.HearRecordAsync();
            await app.SendForkAsync("shop", 10);
            await app.ReportAsync(first.Lsn, 1, complete: true);
            lsn = await PassOnAsync(core, app);
        }

        await using CoreUnderTest second = await StartAsync();
        while ((await second.Status.DeadLettersAsync(null, default)).Hold.Length == 0)
        {
            long deaths = second.Status.Snapshot().Totals.AppDeaths;
            await using (ScriptedApp app = await PoisonedApp.ComeBackAsync(second))
            {
                RecordInfo first = await app.HearRecordAsync();
                await app.SendForkAsync("shop", 10);
                await app.ReportAsync(first.Lsn, first.MessageCount, complete: true);
                await app.ReplayToAsync(lsn);
                await app.HearAsync(BindingMessageType.Rpc);
                await app.BeginAsync(lsn, 0);
            }

            await Within.Until(() => second.Status.Snapshot().Totals.AppDeaths > deaths);
        }

        await RefusesAsync(second, DeadLetterVerb.QuarantineForced, lsn, "not every peer has answered");
    }

    // A first life: a call from outside is answered, and its caller is told.
    private async Task<ulong> TellAsync()
    {
        await using CoreUnderTest core = await StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(PoisonedApp.Hello);
        RecordInfo first = await app.HearRecordAsync();
        await app.ReportAsync(first.Lsn, 1, complete: true);
        Task<OutsideReply> call = core.Core.Outside.CallAsync(Call("order-42"), default);
        (ulong lsn, long number, _) = await app.HearCallAsync();
        await app.AnswerAsync(lsn, number, 77);
        Assert.Equal(OutsideReplyKind.Answer, (await call.OrFail()).Kind);
        return lsn;
    }

    private Task<CoreUnderTest> StartAsync(int quarantineAfter = 2) =>
        CoreUnderTest.StartAsync(processes: new AppProcesses(), change: options => options.QuarantineAfter = quarantineAfter, log: _log);

    private static async Task<ulong> PassOnAsync(CoreUnderTest core, ScriptedApp app)
    {
        await core.Core.Outside.SendAsync(Call("order-43"), default).OrFail();
        return (await app.HearCallAsync()).Lsn;
    }

    // An app that executes what was told, gets one more call, and dies in it.
    private static async Task<ulong> DieInNextAsync(CoreUnderTest core, ulong told)
    {
        await using ScriptedApp app = await AnswerAgainAsync(core, told);
        await app.HearAsync(BindingMessageType.BecomingPrimary);
        await app.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
        ulong lsn = await PassOnAsync(core, app);
        await app.BeginAsync(lsn, 0);
        await app.DisposeAsync();
        await Within.Until(() => core.Status.Snapshot().Totals.AppDeaths == 1);
        return lsn;
    }

    private static async Task DieAgainAsync(CoreUnderTest core, ulong lsn, ulong told)
    {
        long deaths = core.Status.Snapshot().Totals.AppDeaths;
        await using (ScriptedApp app = await AnswerAgainAsync(core, told))
        {
            await app.ReplayToAsync(lsn);
            await app.HearAsync(BindingMessageType.Rpc);
            await app.BeginAsync(lsn, 0);
        }

        await Within.Until(() => core.Status.Snapshot().Totals.AppDeaths > deaths);
    }

    private static async Task<ScriptedApp> AnswerAgainAsync(CoreUnderTest core, ulong told)
    {
        ScriptedApp app = await PoisonedApp.ComeBackAsync(core);
        await app.ReplayToAsync(told);
        await app.AnswerAsync(told, 1, 77);
        return app;
    }

    private static async Task RefusesAsync(CoreUnderTest core, DeadLetterVerb verb, ulong lsn, string why)
    {
        InvalidOperationException refused = await Assert.ThrowsAsync<InvalidOperationException>(
            () => core.Status.ChangeDeadLetterAsync(verb, new MessagePosition(lsn, 0), default));
        Assert.Contains("IC-1037", refused.Message, StringComparison.Ordinal);
        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
    }

    private static OutsideSubmission Call(string key) =>
        new(new OutsideKey("web", KeyHash.Of(key), (ulong)DateTimeOffset.UtcNow.ToUnixTimeMilliseconds()), 7, new byte[] { 1, 2, 3 }, 7);
}
