using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Checkpoints;

/// <summary>Asks the <see cref="RecoveryRules"/> about a log that is only looked at, also while another process writes it.</summary>
internal sealed class LogExamination(ILogStorage storage, SegmentIndex index, CheckpointStore checkpoints)
{
    private readonly RecoveryRules _rules = new(storage, index);

    /// <summary>Everything that a start would refuse or warn of without reading the whole log; empty when there is nothing.</summary>
    public async ValueTask<IReadOnlyList<LogStoreException>> RunAsync()
    {
        List<LogStoreException> found = await LookAsync();
        if (found.Count == 0 || !await storage.IsHeldAsync())
        {
            return found;
        }

        // Its writer releases checkpoints and log while they are looked at. What is wrong is wrong again.
        HashSet<string> again = [.. (await LookAsync()).Select(static error => error.Message)];
        return [.. found.Where(error => again.Contains(error.Message))];
    }

    private async ValueTask<List<LogStoreException>> LookAsync()
    {
        var found = new List<LogStoreException>();
        try
        {
            // In this order: what a checkpoint or a manifest needs was there before it, and is there until it is gone.
            await checkpoints.LoadAsync();
            ulong newestNamed = checkpoints.Content?.NewestSegment ?? 0;
            IReadOnlyList<Lsn> present = await storage.ListCheckpointsAsync();
            await index.RefreshAsync();
            Lsn newest = present is [var first, ..] ? first : Lsn.None;
            if (_rules.NewestMissing(newest, newestNamed) is { } missing)
            {
                found.Add(missing);
            }
            else if (index.Last is { } last && await LostAtEndAsync(last, newest) is { } lost)
            {
                found.Add(lost);
            }

            found.AddRange(_rules.Gone(checkpoints.Named.Select(static entry => entry.Lsn), present));
            if (_rules.OldestMissing([.. checkpoints.Kept(present)]) is { } older)
            {
                found.Add(older);
            }
        }
        catch (LogCorruptException damage)
        {
            found.Add(damage);
        }

        return found;
    }

    private async ValueTask<LogCorruptException?> LostAtEndAsync(SegmentHeader last, Lsn newestCheckpoint)
    {
        await using IStoredFile? file = await storage.OpenSegmentAsync(last.Number, writable: false);
        if (file is null)
        {
            return _rules.Missing(last.Number, last.FirstLsn);
        }

        Lsn before = Lsn.None;
        while (true)
        {
            SegmentCursor end = await SegmentCursor.AtEndAsync(file, last);
            LogCorruptException? lost = await RecoveryRules.LostAtEndAsync(end, newestCheckpoint);
            if (lost is null || end.NextLsn == before)
            {
                return lost;
            }

            // Its writer may have been at work: what was half written when it was read is whole by now. Damage stays where it is.
            before = end.NextLsn;
        }
    }
}
