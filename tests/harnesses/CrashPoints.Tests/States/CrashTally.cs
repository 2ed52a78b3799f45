namespace Ambrosia.CrashPoints.Tests.States;

/// <summary>What was explored.</summary>
internal sealed class CrashTally
{
    private readonly HashSet<ulong> _seen = [];

    public int Points { get; set; }

    public int States => _seen.Count;

    public int SecondCrashes { get; set; }

    public int TornTails { get; set; }

    public int UnacknowledgedKept { get; set; }

    public int FromCheckpoint { get; set; }

    public bool IsNew(ulong hash) => _seen.Add(hash);

    public override string ToString() =>
        $"{Points} crash points, {States} different states recovered from, {SecondCrashes} recoveries cut as well; {TornTails} torn "
        + $"tails, {UnacknowledgedKept} with records that nobody had acknowledged, {FromCheckpoint} from a checkpoint";
}
