using System.Buffers;
using System.Diagnostics;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.State;

/// <summary>
/// Outputs to one destination that are not known to be durable there: the sender's half of docs/internals/exactly-once.md#the-algorithm.
/// Single-threaded by the core's context. "Number" counts replayable messages, "total" counts all of them.
/// </summary>
internal sealed class OutputBuffer : IAsyncDisposable
{
    /// <summary>Bytes of one batch frame, about: large enough for cheap socket writes, small enough to share a log page.</summary>
    public const int MaxBatchBytes = CoreLimits.MostBatchBytes;

    private readonly OutputEntryList _entries = new();
    private readonly OutputMemory _memory;
    private readonly OutputShare _share;
    private readonly SpillFile _spill;
    private readonly CoreLimits _limits;
    private readonly OutputChunks _chunks;
    private bool _isAsked;
    private int _dropping; // Entries that the decision is about.

    public OutputBuffer(string destination, OutputMemory memory, SpillFile spill, CoreLimits? limits = null)
    {
        _limits = limits ?? CoreLimits.Product;
        Destination = destination;
        _memory = memory;
        _share = new OutputShare(memory);
        _spill = spill;
        _chunks = new OutputChunks(memory, _share, spill);
        memory.Join(this);
    }

    public string Destination { get; }

    /// <summary>Number of the last replayable message ever appended (rgen).</summary>
    public ulong Generated { get; private set; }

    /// <summary>Replayable messages seen in the attached app's stream, counted from its checkpoint (rs).</summary>
    public ulong Streamed { get; private set; }

    /// <summary>Highest number known to be durable at the destination.</summary>
    public ulong Trimmed { get; private set; }

    /// <summary>
    /// What of that has been generated: during a replay a destination may have confirmed more, and only the replay's end proves it.
    /// </summary>
    public ulong TrimmedOfGenerated => Math.Min(Trimmed, Generated);

    /// <summary>Regenerated messages up to this number are dropped: the destination has them.</summary>
    public ulong Skip { get; private set; }

    /// <summary>
    /// Messages up to this number were dropped by a decision that is durable (exactly-once.md H26): nobody gets them from here.
    /// </summary>
    public ulong Dropped { get; private set; }

    /// <summary>
    /// The number up to which a decision to drop is being made; null while there is none. Until it is durable or given up nothing may be
    /// agreed with the destination.
    /// </summary>
    public ulong? Dropping { get; private set; }

    /// <summary>The destination has answered in this life: it may have more than a replay has brought forth.</summary>
    public bool HasAnswered { get; private set; }

    /// <summary>
    /// The log or a checkpoint names the destination: the next life of this coordinator knows whom to ask what it has got. Until then
    /// nothing is sent to it (exactly-once.md H27).
    /// </summary>
    public bool IsNamed { get; private set; }

    /// <summary>Total of the next message; none until the destination has answered this epoch.</summary>
    public ulong? NextTotal { get; private set; }

    /// <summary>Highest epoch in which the destination has answered or trimmed (docs/internals/exactly-once.md H3).</summary>
    public ulong ReceiverEpoch { get; private set; }

    /// <summary>Identity of the destination that the numbers belong to; empty until it answered (exactly-once.md H16).</summary>
    public Guid ReceiverId { get; private set; }

    /// <summary>
    /// Highest number a destination has answered with: replay must regenerate at least that much (docs/internals/exactly-once.md H19).
    /// </summary>
    public ulong HighestAnswered { get; private set; }

    /// <summary>Messages that the destination has, or will never get: what of them was not generated, an earlier life did.</summary>
    public ulong Settled => Math.Max(Dropped, Math.Max(HighestAnswered, Trimmed));

    public long MemoryBytes => _share.Bytes;

    public long SpilledBytes => _spill.LiveBytes;

    public int EntryCount => _entries.Count;

    public bool IsEmpty => _entries.Count == 0;

    /// <summary>Set whenever there may be something new to send.</summary>
    public WakeSignal Changed { get; } = new();

    /// <summary>
    /// Takes replayable messages from the app's stream, dropping those that were appended before (a new app regenerates them),
    /// are durable at the destination, or are to be skipped.
    /// </summary>
    public ValueTask AppendAsync(in ReadOnlySequence<byte> messages, int count)
    {
        ulong first = Streamed + 1;
        Streamed += (ulong)count;
        return AppendFromAsync(messages, first, count);
    }

    /// <summary>Whether anything of the next messages in the app's stream would be kept.</summary>
    public bool Stores(int count) =>
        Streamed + (ulong)count > Math.Max(Math.Max(Generated, Dropped), Math.Max(Trimmed, Skip));

    /// <summary>Takes impulses. They stand behind the last replayable message and are numbered by totals only.</summary>
    public ValueTask AppendImpulsesAsync(in ReadOnlySequence<byte> messages, int count) =>
        StoreAsync(messages, impulses: true, Generated, count);

    /// <summary>
    /// Starts from a checkpoint: what it had appended, what was durable at the destination, in which epoch that was said.
    /// </summary>
    public void Restore(ulong streamed, ulong trimmed, ulong receiverEpoch, Guid receiverId, ulong dropped = 0)
    {
        Dropped = dropped;
        Generated = streamed;
        Streamed = streamed;
        Trimmed = trimmed;
        ReceiverEpoch = receiverEpoch;
        ReceiverId = receiverId;
    }

    /// <summary>Adds an entry of a checkpoint at recovery; its messages are numbered from <paramref name="first"/>.</summary>
    public ValueTask RestoreEntryAsync(in ReadOnlySequence<byte> messages, ulong first, int count) =>
        StoreAsync(messages, impulses: false, first, count);

    /// <summary>
    /// A new app is restored from a checkpoint while this coordinator lives (exactly-once.md H5): totals, links and impulses stay.
    /// </summary>
    public void BeginReattach(ulong trimmed, ulong receiverEpoch, ulong dropped = 0)
    {
        Dropped = Math.Max(Dropped, dropped);
        Trimmed = Math.Max(Trimmed, trimmed);
        ReceiverEpoch = Math.Max(ReceiverEpoch, receiverEpoch);
        Streamed = 0;
    }

    /// <summary>
    /// Merges an entry of that checkpoint: what the dead app had not handed over yet exists only there (exactly-once.md H5b).
    /// </summary>
    public ValueTask MergeEntryAsync(in ReadOnlySequence<byte> messages, ulong first, int count) =>
        AppendFromAsync(messages, first, count);

    /// <summary>The new app's stream starts after the checkpoint's last output.</summary>
    public void EndReattach(ulong streamed)
    {
        Streamed = streamed;
        Generated = Math.Max(Generated, streamed);
    }

    /// <summary>The destination is dialled although nothing may wait for it: its answer is wanted.</summary>
    public bool IsWanted => !IsEmpty || (_isAsked && !HasAnswered);

    /// <summary>What an earlier life has sent to the destination is to be known.</summary>
    public void Ask()
    {
        _isAsked = true;
        Changed.Set();
    }

    /// <summary>What the log or a checkpoint says of the destination is durable.</summary>
    public void Named()
    {
        if (!IsNamed)
        {
            IsNamed = true;
            Changed.Set();
        }
    }

    /// <summary>A logged trim, or a trim that arrived (docs/internals/exactly-once.md#sender-on-trim).</summary>
    public void TrimTo(Watermark durable, ulong ownEpoch)
    {
        Trimmed = Math.Max(Trimmed, durable.Replayable);
        if (durable.SenderEpoch == ownEpoch)
        {
            DropTotals(durable.Total);
        }
        else
        {
            _entries.RemoveReplayable(durable.Replayable);
            HoldNothingWhenEmpty();
        }
    }

    /// <summary>False if the answer or trim comes from an epoch older than one already seen there: a fenced primary spoke.</summary>
    public bool AcceptReceiver(ulong receiverEpoch, Guid receiverId)
    {
        if (receiverEpoch < ReceiverEpoch)
        {
            return false;
        }

        ReceiverEpoch = receiverEpoch;
        ReceiverId = receiverId;
        return true;
    }

    /// <summary>The destination is in our own numbering: drop what it has and go on behind it.</summary>
    public void ResumePlain(Watermark durable)
    {
        Debug.Assert(NextTotal is not null && durable.Total < NextTotal, "a receiver cannot be ahead of the epoch that numbered");
        DropTotals(durable.Total);
        Trimmed = Math.Max(Trimmed, durable.Replayable);
        HighestAnswered = Math.Max(HighestAnswered, durable.Replayable);
    }

    /// <summary>
    /// The destination is in another epoch's numbering: drop what it has by replayable number and renumber the rest from its total.
    /// </summary>
    public void Rebase(Watermark durable)
    {
        _entries.RemoveThroughReplayable(durable.Replayable);
        Skip = Math.Max(Skip, durable.Replayable);
        Trimmed = Math.Max(Trimmed, durable.Replayable);
        HighestAnswered = Math.Max(HighestAnswered, durable.Replayable);
        HasAnswered = true;
        // What was dropped keeps its numbers: the destination counts them when it accepts that they will never come.
        NextTotal = _entries.Renumber(durable.Total + GapAfter(durable) + 1);
        HoldNothingWhenEmpty();
    }

    /// <summary>Messages after this watermark that the destination will never get.</summary>
    public ulong GapAfter(Watermark durable) => Dropped > durable.Replayable ? Dropped - durable.Replayable : 0;

    /// <summary>
    /// A decision to drop begins: everything that waits, referenced; the caller releases the chunks. What comes later stays.
    /// </summary>
    public List<OutputEntry> BeginDrop()
    {
        Debug.Assert(Dropping is null, "one decision at a time");
        Dropping = Generated;
        var snapshot = new List<OutputEntry>(_entries.Count);
        for (int i = 0; i < _entries.Count; i++)
        {
            _entries[i].Closed = true;
            _entries[i].Chunk.AddReference();
            snapshot.Add(_entries[i]);
        }

        _dropping = snapshot.Count;
        return snapshot;
    }

    /// <summary>The decision could not be made.</summary>
    public void GiveUpDrop()
    {
        Dropping = null;
        Changed.Set();
    }

    /// <summary>
    /// A decision to drop is durable, or was read in the log. What it was made of goes with its totals: the destination answers before
    /// anything has a total again, and nothing that is left was ever sent.
    /// </summary>
    public void Drop(ulong number)
    {
        Dropped = Math.Max(Dropped, number);
        if (Dropping == number)
        {
            _entries.RemoveFirst(_dropping);
            Dropping = null;
            NextTotal = null;
        }
        else
        {
            _entries.RemoveReplayable(number);
        }

        HoldNothingWhenEmpty();
        Changed.Set();
    }

    /// <summary>
    /// The destination was erased and made again under its name (exactly-once.md H16): numbers start anew, what it had not got is
    /// sent.
    /// </summary>
    public void DestinationReplaced(Guid newId, ulong newEpoch)
    {
        ReceiverId = newId;
        ReceiverEpoch = newEpoch;
    }

    /// <summary>Own outputs to oneself up to this total are durable in the own log.</summary>
    public void DropTotals(ulong total)
    {
        if (NextTotal is not null)
        {
            _entries.RemoveThroughTotal(total);
            HoldNothingWhenEmpty();
        }
    }

    /// <summary>
    /// The entries that a batch starting at <paramref name="total"/> carries, closed against further growth. Empty: nothing to send.
    /// </summary>
    public void TakeBatch(ulong total, List<OutputEntry> batch)
    {
        batch.Clear();
        if (NextTotal is null || total >= NextTotal)
        {
            return;
        }

        int bytes = 0;
        for (int i = _entries.IndexOfTotal(total); i < _entries.Count; i++)
        {
            OutputEntry entry = _entries[i];
            if (batch.Count > 0 && bytes + entry.Length > _limits.BatchBytes)
            {
                _limits.Decided(CoreLimit.Batch);
                break;
            }

            entry.Closed = true;
            batch.Add(entry);
            bytes += entry.Length;
        }
    }

    /// <summary>Replayable messages that the app's stream has produced up to now, referenced; the caller releases the chunks.</summary>
    public List<OutputSlice> SnapshotStreamed() => _entries.SnapshotThrough(Streamed, Destination);

    /// <summary>
    /// Whether something of it could move to its scratch file; <paramref name="keepsNewest"/>: what is being filled counts not.
    /// </summary>
    public bool CanSpill(bool keepsNewest) => _chunks.CanSpill(keepsNewest);

    /// <summary>Moves the newest full chunk to the scratch file; if there is none, the one that is being filled.</summary>
    public ValueTask SpillNewestAsync()
    {
        _limits.Decided(CoreLimit.OutputMemory);
        return _chunks.SpillNewestAsync();
    }

    public ValueTask DisposeAsync()
    {
        _memory.Leave(this);
        _entries.Clear();
        _chunks.Release();
        return _spill.DisposeAsync();
    }

    private void HoldNothingWhenEmpty()
    {
        if (_entries.Count == 0)
        {
            _chunks.Return();
        }
    }

    private ValueTask AppendFromAsync(in ReadOnlySequence<byte> messages, ulong first, int count)
    {
        ulong last = first + (ulong)count - 1;
        ulong wantedFrom = Math.Max(first, Math.Max(Generated, Math.Max(Trimmed, Skip)) + 1);
        wantedFrom = Math.Max(wantedFrom, Dropped + 1);
        Generated = Math.Max(Generated, last);
        if (wantedFrom > last)
        {
            return default;
        }

        int dropped = (int)(wantedFrom - first);
        ReadOnlySequence<byte> wanted = dropped == 0 ? messages : messages.Slice(MessageRun.OffsetOf(messages, dropped));
        return StoreAsync(wanted, impulses: false, wantedFrom, count - dropped);
    }

    private ValueTask StoreAsync(in ReadOnlySequence<byte> messages, bool impulses, ulong number, int count)
    {
        int length = checked((int)messages.Length);
        (Chunk chunk, bool isNew) = _chunks.For(length);
        int offset = chunk.Append(messages, length);
        OutputEntry? last = _entries.Last;
        if (last is null || last.Closed || last.Chunk != chunk || last.Impulses != impulses || last.Length + length > _limits.BatchBytes
            || (!impulses && last.LastNumber + 1 != number))
        {
            chunk.AddReference();
            last = new OutputEntry(chunk, offset, impulses, number, NextTotal ?? 0);
            _entries.Add(last);
        }

        last.Grow(length, count);
        NextTotal += (ulong)count;
        if (!impulses)
        {
            Generated = Math.Max(Generated, number + (ulong)count - 1);
        }

        Changed.Set();
        return isNew ? _memory.MakeRoomAsync(this) : default;
    }
}
