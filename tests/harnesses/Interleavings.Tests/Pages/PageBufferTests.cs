using Ambrosia.Interleavings.Tests.Schedules;
using Xunit.Abstractions;

namespace Ambrosia.Interleavings.Tests.Pages;

/// <summary>Pages, appender and committer of the log under every small number of interruptions, and under drawn priorities.</summary>
public sealed class PageBufferTests(ITestOutputHelper output)
{
    private const int Expected = 25_000;

    [Fact]
    public void Every_message_is_durable_once_in_order_and_whole_and_no_loop_sleeps_over_work_in_any_schedule()
    {
        int each = Amount.Of(Expected) / PageScript.All.Count + 1;
        var total = new Tally();
        foreach (PageScript script in PageScript.All)
        {
            var tally = new Tally();
            Explore(script, new BoundedPreemptions(2), each / 2, tally);
            Explore(script, new RandomPriorities(1, each, changes: 3, expectedSteps: 80), each, tally);
            output.WriteLine($"{script.Name}: {tally}");
            total.Add(tally);
        }

        Report.Add(output, $"page buffer: {total}");
        Assert.True(total.Distinct >= Amount.Of(Expected) / 2, $"only {total.Distinct} different interleavings");
        // An explorer that never sees the interesting cases proves nothing.
        Assert.True(total.Waits > 100 && total.Switches > total.Schedules, "writers never waited, or nobody was interrupted");
    }

    private static void Explore(PageScript script, IStrategy strategy, int most, Tally tally)
    {
        for (int i = 0; i < most && strategy.Next(); i++)
        {
            using var scene = new PageScene(strategy, script);
            string? violation = scene.Run();
            Assert.True(violation is null, $"{script.Name}, {strategy.Describe()}: {violation}");
            tally.Count(scene.Hash, scene.Steps, scene.Switches, scene.Waits);
        }
    }
}
