using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Read;

/// <summary>
/// What must hold between segments, checkpoints and manifest (log-format.md#what-a-start-requires). A start asks before it writes
/// anything; a verification asks the same and changes nothing.
/// </summary>
internal sealed class RecoveryRules(ILogStorage storage, SegmentIndex index)
{
    /// <summary>
    /// A checkpoint or a manifest is made only beside a log, and names no segment that the log does not have: without its newest segments
    /// an old history would begin again.
    /// </summary>
    /// <param name="newestCheckpoint">The newest checkpoint that is there.</param>
    /// <param name="newestNamed">Number of the newest segment that the manifest names; 0 when there is no manifest.</param>
    /// <returns>The newest segment that must be there and is not; null when none is missing.</returns>
    public LogCorruptException? NewestMissing(Lsn newestCheckpoint, ulong newestNamed)
    {
        ulong expected = Math.Max(newestNamed, newestCheckpoint == Lsn.None ? 0 : 1UL);
        return (index.Last?.Number ?? 0) < expected ? Missing(expected, newestCheckpoint) : null;
    }

    /// <summary>After the last record of the newest segment nothing proves another one durable: no later record, no checkpoint.</summary>
    /// <returns>What is lost there; null when the log ends there, maybe with a write that was interrupted.</returns>
    public static async ValueTask<LogCorruptException?> LostAtEndAsync(SegmentCursor end, Lsn newestCheckpoint)
    {
        if (await TailScan.FindProofAsync(end.File, end.Segment, end.Offset, end.NextLsn) is not null)
        {
            return await LogDamage.DescribeAsync(end);
        }

        if (newestCheckpoint < end.NextLsn)
        {
            return null;
        }

        return new LogCorruptException(StoreErrors.CheckpointBeyondLog, $"a checkpoint at LSN {newestCheckpoint} lies beyond the log's end",
            end.FileName,
            end.Offset, end.NextLsn, $"records up to LSN {end.NextLsn.Previous} and the checkpoint are untouched",
            "the log lost its end or is an older copy: restore the folder from one copy");
    }

    /// <summary>Whether a replay that begins with this checkpoint finds the record after it, or the log's end.</summary>
    public bool HasLogAfter(Lsn checkpoint) => index.Segments is not [var first, ..] || first.FirstLsn <= checkpoint.Next;

    /// <summary>The log after a checkpoint that a replay is to begin with.</summary>
    /// <returns>The segment that is missing there; null when none is.</returns>
    public LogCorruptException? LogAfterMissing(Lsn checkpoint) =>
        HasLogAfter(checkpoint) ? null : Missing(index.Segments[0].Number - 1, checkpoint);

    /// <summary>What it means that no checkpoint can be used.</summary>
    /// <param name="damaged">How many there are.</param>
    /// <returns>The error; null if the log begins with its first record, and needs none.</returns>
    public LogCorruptException? NoStart(int damaged) => index.Segments is not [{ FirstLsn: var oldest }, ..] || oldest == Lsn.None.Next
        ? null
        : new LogCorruptException(
            StoreErrors.NoUsableCheckpoint, damaged == 0 ? "no checkpoint to start from" : $"all {damaged} checkpoints are damaged",
            storage.Location, 0, oldest, $"the log from LSN {oldest} on is untouched, but begins after the first record",
            "restore a checkpoint file from a copy");

    /// <summary>
    /// Retention keeps two checkpoints and the log since the older, or the log from its first record on. What it does not keep it deletes
    /// in an order that leaves no checkpoint without its log.
    /// </summary>
    /// <param name="kept">Checkpoints that retention counts on.</param>
    /// <returns>What is missing of that; null when all is there. A newer checkpoint may still be enough for a start.</returns>
    public LogCorruptException? OldestMissing(IReadOnlyCollection<Lsn> kept)
    {
        if (index.Segments is not [{ FirstLsn.Value: > 1 } first, ..])
        {
            return null;
        }

        Lsn[] without = [.. kept.Where(lsn => !HasLogAfter(lsn)).Order()];
        string count = kept.Count == 0 ? "is no checkpoint" : "is one checkpoint only";
        return without.Length > 0 ? Oldest(first, $"the checkpoint at LSN {without[0]} needs what was before it", without[0].Next)
            : kept.Count < RetentionPolicy.CountedOn ? Oldest(first, $"there {count}: retention keeps two, or all segments",
                Lsn.None.Next)
            : null;
    }

    private LogCorruptException Oldest(SegmentHeader first, string why, Lsn missing) => new(
        StoreErrors.OldLogMissing, $"the log begins with LSN {first.FirstLsn} in segment {first.Number}, and {why}", storage.Location, 0,
        missing,
        "the log that is there and newer checkpoints are untouched",
        "put the files back from a copy; a new checkpoint makes up for it, and until then there is less to fall back on");

    /// <summary>A checkpoint leaves the manifest before it is deleted.</summary>
    /// <returns>One error for each that the manifest names and that is not there.</returns>
    public IEnumerable<LogCorruptException> Gone(IEnumerable<Lsn> named, IReadOnlyList<Lsn> present) =>
        named.Except(present).Select(lsn => new LogCorruptException(
            StoreErrors.CheckpointDamaged, $"checkpoint at LSN {lsn} is gone", storage.Location, 0, lsn,
            "older checkpoints and the log after them are kept until two newer ones are good",
            "never delete a checkpoint of an instance by hand"));

    /// <summary>The error for a segment that must exist and does not.</summary>
    public LogCorruptException Missing(ulong number, Lsn after) => index.Missing(number, after);
}
