using Ambrosia.Inspection.Text;
using Ambrosia.Replay;
using Ambrosia.TimeTravel.Comparing;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Tests.Apps;
using Ambrosia.TimeTravel.Tests.Support;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Tests;

/// <summary>docs/internals/outside-calls.md X29, X32: a replay names awakeables as they were named, and completes what was
/// completed.</summary>
public sealed class AwakeableReplayTests(NotaryLog log) : IClassFixture<NotaryLog>
{
    private static readonly string[] s_said = ["one: yes 1.50", "three: no time"];

    [Fact]
    public async Task A_journey_meets_the_completion_where_it_was_taken()
    {
        await using Replay<Notary> replay = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Notary>();
        foreach (string said in s_said)
        {
            while (!Line((await replay.Traveler.PeekAsync())!.Value).Contains("awakeable(", StringComparison.Ordinal))
            {
                await replay.Traveler.StepAsync();
            }

            Assert.DoesNotContain(said, replay.Immortal.Said);
            await replay.Traveler.StepAsync();
            Assert.Contains(said, replay.Immortal.Said);
        }

        Assert.Equal(log.Urls, replay.Immortal.Urls);
        Assert.StartsWith("http://first.example/v1/awakeables/", log.Urls[0], StringComparison.Ordinal);
        Assert.StartsWith("http://second.example/notary/v1/awakeables/", log.Urls[2], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Equal_code_comes_to_the_same_from_every_checkpoint()
    {
        await using ReplayLog opened = await ReplayLog.OpenFolderAsync(log.Folder);
        Assert.True(opened.Checkpoints.Count > 2);
        foreach (ulong checkpoint in opened.Checkpoints)
        {
            await using var app = new ObjectApp(static () => new Notary(), opened.Instance);
            await using var old = new ObjectApp(static () => new Notary(), opened.Instance);
            RetroactiveReport report = await RetroactiveRun.RunAsync(opened, app, old, new RetroactiveOptions { From = checkpoint });
            Assert.True(report.IsSame, ReportText.People(report, new MethodNames(), "same"));
            await using Replay<Notary> replay = await ImmortalReplay.From(log.Folder).Checkpoint(checkpoint).OpenAsync<Notary>();
            await replay.Traveler.RunAsync(static _ => false);
            Assert.Equal(s_said, replay.Immortal.Said);
            Assert.Equal(log.Urls, replay.Immortal.Urls);
        }
    }

    private static string Line(LoggedMessage message) => MessageText.Line(message, new MethodNames());
}
