using Ambrosia.Replay;
using Ambrosia.TimeTravel.Tests.Apps;
using Ambrosia.TimeTravel.Tests.Support;
using Xunit.Sdk;

namespace Ambrosia.TimeTravel.Tests;

/// <summary>The library form for xunit fails when new code does otherwise, and says what a report says. That it passes is seen in
/// <see cref="GoldenLogTests"/>.</summary>
public sealed class RetroactiveTestTests
{
    private const long FirstTick = 1;

    [Fact]
    public async Task A_version_that_sends_more_fails_against_the_log_and_the_text_names_the_record()
    {
        var log = new RetroactiveLog(GoldenLog.FolderOf("counter"));
        RetroactiveTestException failure = await Assert.ThrowsAsync<RetroactiveTestException>(() =>
            log.Verify(static () => new Counter(PlantedChange.OneMore, FirstTick)));
        Assert.Contains("the log says", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_version_that_cannot_read_the_checkpoint_fails_with_the_reason_and_does_not_wait_for_ever()
    {
        var log = new RetroactiveLog(GoldenLog.FolderOf("counter"));
        RetroactiveTestException failure = await Assert.ThrowsAsync<RetroactiveTestException>(() => log.Verify<Unrelated>())
            .WaitAsync(TimeSpan.FromMinutes(2));
        Assert.Contains("Unrelated ended after its checkpoint", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_versions_are_compared_and_the_text_shows_both_outputs_side_by_side()
    {
        var log = new RetroactiveLog(GoldenLog.FolderOf("counter"));
        await log.Compare<Counter>(static () => new Counter(), static () => new Counter());
        RetroactiveTestException failure = await Assert.ThrowsAsync<RetroactiveTestException>(
            () => log.Compare<Counter>(static () => new Counter(PlantedChange.OtherContent, FirstTick), static () => new Counter()));
        Assert.Contains("fork Report(text: \"n0 1!\")", failure.Message, StringComparison.Ordinal);
        Assert.Contains("before", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_log_that_is_not_there_fails_with_its_place()
    {
        LogStore.Errors.LogStoreException missing =
            await Assert.ThrowsAsync<LogStore.Errors.LogStoreException>(() => new RetroactiveLog("/nowhere/bank").Verify<Counter>());
        Assert.Contains("/nowhere/bank", missing.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_test_case_survives_the_way_to_another_process_as_test_runners_send_it()
    {
        var assembly = new TestAssembly(Reflector.Wrap(typeof(GoldenLogTests).Assembly));
        var type = new TestClass(new TestCollection(assembly, null, "golden"), Reflector.Wrap(typeof(GoldenLogTests)));
        var method = new TestMethod(type,
            type.Class.GetMethod(nameof(GoldenLogTests.It_does_so_with_awaits_timers_and_replies_in_the_log), false));
        var found = new RetroactiveTestCase(new NullMessageSink(), TestMethodDisplay.ClassAndMethod, TestMethodDisplayOptions.None, method,
            "Golden/format-1/ledger");
        var copy = SerializationHelper.Deserialize<RetroactiveTestCase>(SerializationHelper.Serialize(found));
        Assert.Equal((found.Folder, found.UniqueID), (copy.Folder, copy.UniqueID));
        Assert.Contains("ledger", copy.Folder, StringComparison.Ordinal);
    }
}
