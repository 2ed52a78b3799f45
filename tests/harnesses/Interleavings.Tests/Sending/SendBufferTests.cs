using Ambrosia.Interleavings.Tests.Schedules;
using Xunit.Abstractions;

namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>
/// The output buffer and its link: appends, impulses, batches, answers, trims, rebases, reconnections, re-attachments, crashes and zombies
/// on both sides, in every order with few deviations from the plain one, and in drawn orders.
/// </summary>
public sealed class SendBufferTests(ITestOutputHelper output)
{
    private const int Expected = 30_000;

    [Fact]
    public void Every_message_is_logged_once_in_order_and_no_impulse_twice_in_any_order_of_events()
    {
        var total = new Tally();
        foreach (SendScript script in SendScript.All)
        {
            int most = Amount.Of(Expected) * script.Share / 100 + 1;
            var tally = new Tally();
            Explore(script, new BoundedPreemptions(3), most / 3, tally);
            Explore(script, new RandomPriorities(1, most, changes: 4, expectedSteps: 60, walkEvery: 2), most, tally);
            output.WriteLine($"{script.Name}: {tally} (faults)");
            total.Add(tally);
        }

        Report.Add(output, $"send buffer: {total} (faults)");
        Assert.True(total.Distinct >= Amount.Of(Expected) / 2, $"only {total.Distinct} different interleavings");
        Assert.True(total.Waits > total.Schedules / 2, "hardly a fault happened");
    }

    private static void Explore(SendScript script, IStrategy strategy, int most, Tally tally)
    {
        for (int i = 0; i < most && strategy.Next(); i++)
        {
            using var scene = new SendScene(strategy, script);
            string? violation = scene.Run();
            Assert.True(violation is null, $"{script.Name}, {strategy.Describe()}: {violation}");
            tally.Count(scene.Hash, scene.Steps, scene.Deviations, scene.Faults);
        }
    }
}
