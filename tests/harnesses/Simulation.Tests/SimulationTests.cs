using System.Diagnostics;
using System.Globalization;
using Xunit.Abstractions;

namespace Ambrosia.Simulation.Tests;

public sealed class SimulationTests(ITestOutputHelper output)
{
    private const long MostKept = 512L << 20;

    [Theory] // Seeds that once failed are kept for ever, with the limits and the workload that they failed with.
    [InlineData(319)] // A checkpoint whose rename was visible after kill -9, relied on, and lost in the power cut that followed.
    [InlineData(424)] // Empty records begot empty records on an idle instance, one a heartbeat, for ever.
    [InlineData(1665)] // An operator quarantined a message while the app was just surviving it: what that had sent left all the same.
    [InlineData(17439)] // As 1665, but the app had survived it in a life of the coordinator that ended before it could log that.
    [InlineData(5643)] // The log could not be read when an app's death was judged: the coordinator never ended, for it waited for that app.
    // An operator's re-drive waited for an app that was on hold, and with it every further decision, the one that would have ended the hold
    // included.
    [InlineData(11802)]
    [InlineData(28)] // An app of another version attached before there was a checkpoint: the coordinator ended.
    [InlineData(542)] // A primary whose name did not fit on a full disk stood still, and nobody could end it.
    // A replica told to stop while it took its primary's place opened connections that nobody ended: each dialled without a pause.
    [InlineData(920)]
    // The checkpoint that an app was about to begin with was released while it was read: the coordinator ended, though there were newer
    // ones.
    [InlineData(1498)]
    // The checkpoint behind an upgrade was damaged: a replica that needed it began again and again, and nobody made another.
    [InlineData(3223)]
    [InlineData(7702)] // A replica that became who makes the checkpoints and the primary at once called itself the former for ever.
    // A handler was told of its coordinator's death by an exception that no replay repeats, and the rest of the batch was executed after
    // it.
    [InlineData(30284)]
    // A replica's app survived a message that the primary then quarantined: as the primary it sent what it had sent from there on.
    [InlineData(1800)]
    [InlineData(11424)] // As 1800; the primary ended of its disk.
    // A replica in a service whose app came when every checkpoint was newer than what it had followed to called the store damaged.
    [InlineData(12)]
    [InlineData(214)] // Who handed over by moving took a checkpoint through the thread pool, and waited for one that had failed.
    // A checkpoint that was made once more while a starting primary read it in a service counted as damaged, and none was left.
    [InlineData(458)]
    [InlineData(2777)] // As 458, while an app was given it: the coordinator ended.
    [InlineData(12544)] // As 458, between verification and use.
    [InlineData(28709)] // A checkpoint of a replica was adopted before the starting primary knew what it begins with: it ended.
    // A follower's reader found the segment that its own process was just making: it was counted twice, and the next look ended the
    // process.
    [InlineData(39688)]
    [InlineData(47104)] // The log that a replica's app still needed was released: the replica called the store damaged.
    [InlineData(920004072)] // As 47104, with the log after the checkpoint that an app was to begin with.
    // A replica's checkpoint got its name while its primary quarantined a message that it contained: a replica that began with it had
    // executed what never was.
    [InlineData(5124)]
    [InlineData(7008)] // As 5124.
    [InlineData(8664)] // As 5124, with records between the message and the checkpoint.
    [InlineData(4752)] // A replica in a service that did not have the lock of the checkpointer was asked for a checkpoint: it ended.
    [InlineData(768)] // As 4752, before it had followed as far as its app's checkpoint.
    // An app that was to take another's place began before that one had upgraded the state itself, and executed what lay behind as the old
    // version: then it acted.
    [InlineData(12980)]
    [InlineData(12850)] // As 12980.
    // The checkpoint behind an upgrade was lost with the power: the primary got over it, and every replica that followed ended at once,
    // again and again.
    [InlineData(22828)]
    [InlineData(113152)] // The simulator itself rang a timer that had been disposed.
    [InlineData(401447)] // A replica that got the right to make checkpoints ended because the newest one was damaged, at each start.
    [InlineData(514)] // A replica was told to stop while it was promoted, and appended to the log that it had closed.
    [InlineData(527)] // A secondary's app waited for room that a trim had freed, in a record that nothing proved durable.
    [InlineData(529)] // A replica slept while its segment in a service and the next one were released: it looked for ever at what was gone.
    // A log that was closed while it prepared a segment, between two pieces of a checkpoint that it verified, ended its process.
    [InlineData(3002)]
    // An upgrade's app came while retention removed the checkpoint that it was to begin with: the primary ended as if its log was damaged.
    [InlineData(1414190)]
    // The first checkpoint of a build could not be saved, and its replicas ended again and again at the mark that the log had.
    [InlineData(224)]
    [InlineData(2287)] // The simulator itself took a later checkpoint of a build for its first, which had failed.
    public void Schedules_that_found_a_bug_pass(int seed) =>
        Assert.Null(new SimRun(seed, 1, workers: 1, twiceOneIn: 1)
            { ShrinksLimits = false, HasEffects = false, HasCallers = false }.Execute());

    [Theory] // As above, of the runs that have effects and may shrink limits.
    [InlineData(1388)] // The harness took a state for an app's that its coordinator had never heard of.
    [InlineData(1643)] // The harness asked the next coordinator, which was still recovering, what was durable in the one before.
    [InlineData(13528)] // The harness asked the coordinator that an app's process was started for, and not the one that it was attached to.
    public void Schedules_with_effects_that_found_a_bug_pass(int seed) =>
        Assert.Null(new SimRun(seed, 1, workers: 1, twiceOneIn: 1) { HasCallers = false }.Execute());

    [Theory] // As above, of the runs that have callers from outside, too.
    // A primary that handed over in a service, and was started again, got the place before those who asked for it looked: again and again.
    [InlineData(1209605)]
    // The harness knew nothing of a build's first checkpoint that was reported as not written, and was found by the next start.
    [InlineData(1222)]
    // The harness took what a coordinator had read, and lost with the connection before it acted on it, for what it knew.
    [InlineData(1303300)]
    // A primary was told to stop while an output looked its destination up, connected nevertheless, and waited for it to end, for ever.
    [InlineData(3744)]
    // A record was read for the old app while it was held for an upgrade, and given to it: it acted behind the cut.
    [InlineData(11074)]
    public void Schedules_with_callers_that_found_a_bug_pass(int seed) =>
        Assert.Null(new SimRun(seed, 1, workers: 1, twiceOneIn: 1).Execute());

    [Fact] // G1, G2, G3, G6, G8: whatever is killed, cut or torn, every message is executed exactly once in order per connection.
    public void Random_schedules_end_with_every_message_executed_exactly_once()
    {
        var run = new SimRun(Number("AMBROSIA_SIM_FIRST", 1), Number("AMBROSIA_SIM_COUNT", 200), Number("AMBROSIA_SIM_WORKERS", 2),
            twiceOneIn: 50)
        {
            Print = Environment.GetEnvironmentVariable("AMBROSIA_SIM_TRACE") == "1" ? output.WriteLine : null,
        };
        long begin = Stopwatch.GetTimestamp();
        string? failure = run.Execute();
        Tell(run.Report.Describe(Stopwatch.GetElapsedTime(begin)));
        Assert.True(failure is null, failure);
        // Nothing holds what is ended: a process that runs thousands of lives would grow.
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true), 0, MostKept);
        Assert.True(run.Report.Executions > run.Report.Schedules, "the schedules executed nothing");
        Assert.Empty(run.Report.Gaps());
    }

    private void Tell(string report)
    {
        output.WriteLine(report);
        if (Environment.GetEnvironmentVariable("AMBROSIA_REPORTS") is { Length: > 0 } folder)
        {
            Directory.CreateDirectory(folder);
            File.AppendAllText(Path.Combine(folder, "Simulation.txt"), report);
        }
    }

    private static int Number(string variable, int otherwise) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } text ? int.Parse(text, CultureInfo.InvariantCulture) : otherwise;
}
