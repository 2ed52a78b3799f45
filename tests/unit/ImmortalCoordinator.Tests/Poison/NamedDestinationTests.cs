using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Stores;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Poison;

/// <summary>
/// Whom a message may have sent something to, in an earlier life of the coordinator, stands in the log before anything leaves: else the
/// message could be taken out although its consequences are elsewhere (docs/internals/exactly-once.md H27).
/// </summary>
public sealed class NamedDestinationTests
{
    private readonly LogStoreEnvironment _log = new();

    [Fact]
    public async Task A_message_is_not_taken_out_while_one_that_may_have_got_what_it_sends_is_away()
    {
        ulong lsn = await SendAsync();
        await using CoreUnderTest core = await StartAsync(_log);
        await DieAsync(core, lsn, times: 3);
        Assert.Empty((await core.Status.DeadLettersAsync(null, default)).Letters);
        string hold = (await core.Status.DeadLettersAsync(null, default)).Hold;
        Assert.Contains("whether it can be skipped is not known yet", hold, StringComparison.Ordinal);
    }

    [Fact] // Nothing waits for it: it is asked because its answer is needed.
    public async Task It_can_never_be_when_that_one_says_that_it_has_it()
    {
        ulong lsn = await SendAsync();
        await using CoreUnderTest core = await StartAsync(_log);
        await using AnsweringPeer shop = await AnsweringPeer.StartAsync(core, "shop", durable: 1);
        await DieAsync(core, lsn, times: 1);
        await Within.Until(() => shop.Dialled > 0);
        await DieAsync(core, lsn, times: 2);
        Assert.Empty((await core.Status.DeadLettersAsync(null, default)).Letters);
        Assert.Contains("some of what it sends has left already", (await core.Status.DeadLettersAsync(null, default)).Hold,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task It_is_taken_out_when_that_one_says_that_it_has_nothing_of_it()
    {
        ulong lsn = await SendAsync();
        await using CoreUnderTest core = await StartAsync(_log);
        await using AnsweringPeer shop = await AnsweringPeer.StartAsync(core, "shop", durable: 0);
        await DieAsync(core, lsn, times: 1);
        await Within.Until(() => core.Lines.All.Any(static line => line.Contains("Output to shop connected", StringComparison.Ordinal)));
        await DieAsync(core, lsn, times: 1);
        await Within.Until(() => core.Lines.All.Any(static line => line.Contains("was quarantined by", StringComparison.Ordinal)));
        Assert.Equal("--quarantine-after", Assert.Single((await core.Status.DeadLettersAsync(null, default)).Letters).By);
    }

    [Fact]
    public async Task Nothing_leaves_to_a_destination_that_the_log_does_not_name()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await StartAsync(disk.Environment);
        await using AnsweringPeer shop = await AnsweringPeer.StartAsync(core, "shop", durable: 0);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(PoisonedApp.Hello);
        RecordInfo first = await app.HearRecordAsync();
        disk.Hold();
        await app.SendForkAsync("shop", 10);
        await app.ReportAsync(first.Lsn, 1, complete: true);
        await Within.Until(() => core.Lines.All.Any(static line => line.Contains("Output to shop connected", StringComparison.Ordinal)));
        await disk.UntilHeldAsync();
        await Task.Delay(50);
        int early = shop.Batches;
        disk.Release();
        Assert.Equal(0, early);
        await Within.Until(() => shop.Batches == 1);
    }

    // A first life: its app is given a message, sends something to the shop for it, and the shop gets that.
    private async Task<ulong> SendAsync()
    {
        await using CoreUnderTest core = await StartAsync(_log);
        await using AnsweringPeer shop = await AnsweringPeer.StartAsync(core, "shop", durable: 0);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(PoisonedApp.Hello);
        RecordInfo first = await app.HearRecordAsync();
        await app.ReportAsync(first.Lsn, 1, complete: true);
        await app.SendImpulsesAsync(7);
        RecordInfo record = await app.HearRecordAsync();
        await app.SendForkAsync("shop", 10);
        await app.ReportAsync(record.Lsn, 1, complete: true);
        await Within.Until(() => shop.Batches > 0);
        return record.Lsn;
    }

    private static Task<CoreUnderTest> StartAsync(LogStoreEnvironment log) =>
        CoreUnderTest.StartAsync(processes: new AppProcesses(), change: static options => options.QuarantineAfter = 2, log: log);

    private static async Task DieAsync(CoreUnderTest core, ulong lsn, int times)
    {
        for (int i = 0; i < times; i++)
        {
            await PoisonedApp.DieAgainAsync(core, lsn, 0);
        }
    }
}
