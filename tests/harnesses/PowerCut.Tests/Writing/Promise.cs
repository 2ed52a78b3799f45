using Ambrosia.Primitives;

namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>All that was confirmed in the lives of one log so far: what must be there after the next power cut.</summary>
internal sealed class Promise
{
    private readonly SortedDictionary<ulong, uint> _records = [];
    private readonly Dictionary<ulong, long[]> _checkpoints = [];
    private readonly object _gate = new();

    public const int Publishers = 3;

    /// <summary>Newest epoch that anybody was told.</summary>
    public ulong Epoch { get; set; }

    /// <summary>Newest record that was reported durable.</summary>
    public ulong DurableLsn { get; private set; }

    /// <summary>Newest checkpoint that was reported complete.</summary>
    public ulong CheckpointLsn { get; private set; }

    /// <summary>By publisher: number of the last message reported durable, and of the last that was begun.</summary>
    public long[] Durable { get; } = new long[Publishers];

    public long[] Begun { get; } = new long[Publishers];

    /// <summary>A record is durable: position, checksum of its body, numbers reached with it.</summary>
    public void RecordIsDurable(ulong lsn, uint checksum, ReadOnlySpan<long> reached)
    {
        lock (_gate)
        {
            _records[lsn] = checksum;
            DurableLsn = lsn;
            reached.CopyTo(Durable);
        }
    }

    /// <summary>Recovery found a record: it stays what it is.</summary>
    public void RecordFound(ulong lsn, uint checksum)
    {
        lock (_gate)
        {
            _records[lsn] = checksum;
        }
    }

    /// <summary>A checkpoint is being written; its content may be found from now on.</summary>
    public void CheckpointBegun(ulong lsn, long[] reached)
    {
        lock (_gate)
        {
            _checkpoints[lsn] = reached;
        }
    }

    public void CheckpointIsDurable(ulong lsn)
    {
        lock (_gate)
        {
            CheckpointLsn = Math.Max(CheckpointLsn, lsn);
        }
    }

    public uint? ChecksumOf(ulong lsn)
    {
        lock (_gate)
        {
            return _records.TryGetValue(lsn, out uint checksum) ? checksum : null;
        }
    }

    public long[]? CheckpointAt(ulong lsn)
    {
        lock (_gate)
        {
            return _checkpoints.GetValueOrDefault(lsn);
        }
    }

    /// <summary>What recovery found counts from now on, confirmed before or not: it was made durable again. The oldest that is left begins
    /// here.</summary>
    public void Recovered(ulong oldest, ulong last, ReadOnlySpan<long> reached)
    {
        lock (_gate)
        {
            foreach (ulong gone in _records.Keys.TakeWhile(lsn => lsn < oldest).ToArray())
            {
                _records.Remove(gone);
            }

            DurableLsn = last;
            reached.CopyTo(Durable);
            reached.CopyTo(Begun);
        }
    }
}
