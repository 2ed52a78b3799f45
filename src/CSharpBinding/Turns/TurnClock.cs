using System.Buffers.Binary;
using System.Security.Cryptography;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// What a turn may know of time and chance: everything derives from the log record being executed, so each process that executes it
/// gets the same (docs/internals/exactly-once.md H10, H20).
/// </summary>
internal sealed class TurnClock
{
    private const int SeedSize = 16 + 8 + 8 + 4 + 4;
    private readonly byte[] _seed = new byte[SeedSize];
    private int _draws;
    private long _turnNumber;

    /// <summary>LSN of the record being executed.</summary>
    public ulong Lsn { get; private set; }

    /// <summary>Index of the message being executed.</summary>
    public int Index { get; private set; } = -1;

    /// <summary>Which message is being executed.</summary>
    public MessagePosition Position => new(Lsn, Index);

    /// <summary>Log time in 100 ns ticks, UTC; never goes back.</summary>
    public long LogTicks { get; set; }

    /// <summary>Log time.</summary>
    public DateTimeOffset LogTime => new(LogTicks, TimeSpan.Zero);

    /// <summary>Counts messages: random sequences are restarted when it changes.</summary>
    public long TurnNumber => Volatile.Read(ref _turnNumber);

    /// <summary>Says whose turns these are.</summary>
    public void Attach(Guid instanceId) => instanceId.TryWriteBytes(_seed);

    /// <summary>A record begins, or goes on with this message.</summary>
    public void BeginRecord(in RecordInfo record, int firstIndex = 0)
    {
        Lsn = record.Lsn;
        Index = firstIndex - 1;
        LogTicks = Math.Max(LogTicks, Math.Clamp(record.Timestamp, 0, DateTime.MaxValue.Ticks));
        BinaryPrimitives.WriteUInt64LittleEndian(_seed.AsSpan(16), record.Epoch);
        BinaryPrimitives.WriteUInt64LittleEndian(_seed.AsSpan(24), record.Lsn);
    }

    /// <summary>Method that the message being executed calls, or that it answers.</summary>
    public int MethodId { get; private set; }

    /// <summary>What kind of message it is.</summary>
    public TurnCause Cause { get; private set; }

    /// <summary>The next message of the record begins.</summary>
    /// <param name="methodId">The method that it calls or answers.</param>
    /// <param name="cause">What kind of message it is.</param>
    public void BeginTurn(int methodId, TurnCause cause)
    {
        Index++;
        (MethodId, Cause) = (methodId, cause);
        Volatile.Write(ref _turnNumber, _turnNumber + 1);
        _draws = 0;
    }

    /// <summary>The message of this turn has a handler run that it does not name.</summary>
    public void Runs(int methodId) => (MethodId, Cause) = (methodId, TurnCause.Call);

    /// <summary>What people are told of a call that this turn makes.</summary>
    public CallNote NoteOf(string? destination, int methodId) => new(destination, methodId, Lsn, Index, LogTicks);

    /// <summary>Thirty-two bytes that only this draw of this turn of this instance gives.</summary>
    public void Draw(Span<byte> destination)
    {
        BinaryPrimitives.WriteInt32LittleEndian(_seed.AsSpan(32), Index);
        BinaryPrimitives.WriteInt32LittleEndian(_seed.AsSpan(36), _draws++);
        SHA256.HashData(_seed, destination);
    }
}
