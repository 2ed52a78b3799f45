using System.Buffers.Binary;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Read;
using Ambrosia.Primitives;

namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>Holds what a recovered log contains against what was promised.</summary>
internal sealed class Recovery(WriteAheadLog log, WriterStart start, Promise promise)
{
    private readonly long[] _reached = new long[Promise.Publishers];
    private readonly bool[] _seen = new bool[Promise.Publishers];

    /// <summary>Whether the newest checkpoint may be skipped, because it cannot be read at the moment.</summary>
    public bool MaySkipCheckpoint { get; init; }

    /// <summary>Numbers reached with the last record.</summary>
    public long[] Reached => _reached;

    /// <summary>The checkpoint that a coordinator would start from; 0 for none.</summary>
    public ulong CheckpointLsn { get; private set; }

    /// <summary>Records that survived although nobody was told that they are durable.</summary>
    public ulong Unconfirmed { get; private set; }

    /// <summary>Reads everything that is left, checkpoint and all records; throws with the first thing that is wrong.</summary>
    public async Task VerifyAsync()
    {
        Require(start.Epoch.Value > promise.Epoch, $"epoch {start.Epoch} opened after epoch {promise.Epoch} had been told");
        Require(start.LastLsn.Value >= promise.DurableLsn,
            $"the log ends at LSN {start.LastLsn}, but LSN {promise.DurableLsn} was durable");
        Unconfirmed = start.LastLsn.Value - promise.DurableLsn;
        long[]? state = await ReadCheckpointAsync();
        ulong oldest = log.OldestLsn.Value;
        Require(oldest <= CheckpointLsn + 1, $"the newest checkpoint is at LSN {CheckpointLsn}, but the log begins only at LSN {oldest}");
        if (state is not null && oldest == CheckpointLsn + 1)
        {
            Enter(state);
        }

        await ReadRecordsAsync(oldest, state);
        for (int publisher = 0; publisher < Promise.Publishers; publisher++)
        {
            Require(_reached[publisher] >= promise.Durable[publisher],
                $"publisher {publisher}: message {promise.Durable[publisher]} was durable, {_reached[publisher]} is the last one there");
            Require(_reached[publisher] <= promise.Begun[publisher],
                $"publisher {publisher}: message {_reached[publisher]} is there, but {promise.Begun[publisher]} was the last one written");
        }

        promise.Recovered(oldest, start.LastLsn.Value, _reached);
        promise.Epoch = start.Epoch.Value;
    }

    private async Task<long[]?> ReadCheckpointAsync()
    {
        await using CheckpointReader? checkpoint = await log.OpenNewestValidCheckpointAsync();
        CheckpointLsn = checkpoint?.Lsn.Value ?? 0;
        Require(MaySkipCheckpoint || CheckpointLsn >= promise.CheckpointLsn,
            $"the newest checkpoint is at LSN {CheckpointLsn}, but the one at LSN {promise.CheckpointLsn} was complete");
        if (checkpoint is null)
        {
            return null;
        }

        var bytes = new List<byte>();
        for (ReadOnlyMemory<byte> block; !(block = await checkpoint.ReadAsync()).IsEmpty;)
        {
            bytes.AddRange(block.Span);
        }

        return CheckpointContent.Read([.. bytes], CheckpointLsn, promise);
    }

    private async Task ReadRecordsAsync(ulong oldest, long[]? state)
    {
        await using LogReader reader = log.OpenReader(new Lsn(oldest));
        ulong expected = oldest;
        ReadOutcome outcome;
        for (; (outcome = await reader.ReadAsync()) == ReadOutcome.Record; expected++)
        {
            ulong lsn = reader.Header.Lsn.Value;
            Require(lsn == expected, $"LSN {lsn} came where LSN {expected} belongs");
            uint checksum = PromiseSink.Checksum(reader.Body.Span);
            Require(promise.ChecksumOf(lsn) is not { } told
                || told == checksum, $"the record at LSN {lsn} is another one than was durable there");
            ReadMessages(reader.Body.Span);
            if (state is not null && lsn == CheckpointLsn)
            {
                Require(_reached.Where((number, publisher) => _seen[publisher] && number != state[publisher]).FirstOrDefault(-1) < 0,
                    $"the checkpoint at LSN {lsn} is not the state after that record");
                Enter(state);
            }

            promise.RecordFound(lsn, checksum);
        }

        Require(outcome == ReadOutcome.EndOfLog, $"reading ended with {outcome}");
        Require(expected == start.LastLsn.Value + 1, $"reading ended before LSN {expected}, the log ends at LSN {start.LastLsn}");
    }

    private void ReadMessages(ReadOnlySpan<byte> body)
    {
        ReadOnlySpan<byte> left = body[..^PromiseSink.TrailerSize];
        int count = 0;
        for (; !left.IsEmpty; count++)
        {
            (int publisher, long number) = Message.Take(ref left);
            Require(!_seen[publisher]
                || number == _reached[publisher] + 1, $"publisher {publisher}: message {number} came after {_reached[publisher]}");
            (_reached[publisher], _seen[publisher]) = (number, true);
        }

        int told = BinaryPrimitives.ReadInt32LittleEndian(body[^PromiseSink.TrailerSize..]);
        Require(told == count, $"a record of {count} messages says that it has {told}");
    }

    private void Enter(long[] state)
    {
        state.CopyTo(_reached, 0);
        Array.Fill(_seen, true);
    }

    private static void Require(bool holds, string what)
    {
        if (!holds)
        {
            throw new BrokenPromiseException(what);
        }
    }
}
