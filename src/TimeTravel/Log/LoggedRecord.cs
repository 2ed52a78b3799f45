using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore.Format;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Log;

/// <summary>
/// One record of a log, taken apart: its messages in the order of execution, without the batches around them, and the sender of each.
/// </summary>
public sealed class LoggedRecord
{
    private readonly byte[] _payload;
    private readonly RecordTrailer _trailer;
    private (int Start, int Length)[]? _messages;

    private LoggedRecord(in RecordHeader header, RecordTrailer trailer, byte[] payload)
    {
        Lsn = header.Lsn.Value;
        Epoch = header.Epoch.Value;
        Timestamp = header.Timestamp;
        _trailer = trailer;
        _payload = payload;
    }

    /// <summary>Its place in the log.</summary>
    public ulong Lsn { get; }

    /// <summary>Epoch of leadership under which it was logged.</summary>
    public ulong Epoch { get; }

    /// <summary>When it was logged: 100 ns ticks since 0001-01-01 UTC.</summary>
    public long Timestamp { get; }

    /// <summary>When it was logged.</summary>
    public DateTimeOffset Time => new(Math.Clamp(Timestamp, 0, DateTime.MaxValue.Ticks), TimeSpan.Zero);

    /// <summary>Messages in it; none in a record that only carries trims and digests.</summary>
    public int Count => _trailer.MessageCount;

    /// <summary>Bytes of the messages.</summary>
    public int PayloadSize => _payload.Length;

    /// <summary>What earlier records made the app send, as far as this record tells.</summary>
    internal IReadOnlyList<TurnDigest> Digests => _trailer.Turns;

    /// <summary>Largest message that a handler may send from here on; 0: as before.</summary>
    internal long LargestMessage => _trailer.LargestMessage;

    /// <summary>By what awakeables are named from this record on; null: as before.</summary>
    internal AwakeableKey? Awakeables => _trailer.Awakeables;

    /// <summary>The payload as it lies in the log.</summary>
    internal ReadOnlyMemory<byte> Payload => _payload;

    /// <summary>Watermarks that this record moved.</summary>
    internal IReadOnlyList<InputWatermark> Inputs => _trailer.Inputs;

    /// <summary>Runs of messages by sender, in the order of the payload.</summary>
    internal IReadOnlyList<InputRun> Runs => _trailer.Runs;

    /// <summary>
    /// What was decided here about the app's state or about messages that kill it: a sentence each. None in nearly all records.
    /// </summary>
    public IReadOnlyList<string> Decisions => [.. _trailer.Upgrades.Select(DecisionText.Of), .. _trailer.Builds.Select(DecisionText.Of),
        .. _trailer.Drops.Select(DecisionText.Of), .. _trailer.Poison.Select(DecisionText.Of)];

    /// <summary>One message.</summary>
    public LoggedMessage this[int index] => new(this, index);

    /// <summary>A message with its size and type in front, as it travels.</summary>
    internal ReadOnlyMemory<byte> Framed(int index) => _payload.AsMemory(Messages[index].Start, Messages[index].Length);

    /// <summary>Messages one after the other, and where; batches are gone when it is not the whole record.</summary>
    internal int SizeOf(int first, int count)
    {
        int size = 0;
        for (int i = first; i < first + count; i++)
        {
            size += Messages[i].Length;
        }

        return size;
    }

    /// <summary>The sender of a message.</summary>
    internal string SenderOf(int index)
    {
        foreach (InputRun run in _trailer.Runs)
        {
            if (index < run.Messages)
            {
                return _trailer.Inputs[run.InputIndex].Name;
            }

            index -= run.Messages;
        }

        return "";
    }

    /// <summary>Takes a record's body apart; the bytes are copied.</summary>
    internal static LoggedRecord Read(in RecordHeader header, ReadOnlyMemory<byte> body)
    {
        RecordTrailer trailer = RecordTrailer.Read(body, out ReadOnlyMemory<byte> payload);
        return new LoggedRecord(header, trailer, Copy(payload.Span));
    }

    private static byte[] Copy(ReadOnlySpan<byte> payload)
    {
        byte[] copy = GC.AllocateUninitializedArray<byte>(payload.Length);
        payload.CopyTo(copy);
        return copy;
    }

    // Only a replay that stops inside a record needs to know where its messages begin.
    private (int Start, int Length)[] Messages => _messages ??= Scan();

    private (int Start, int Length)[] Scan()
    {
        var messages = new (int, int)[Count];
        int found = RecordMessages.Locate(_payload, messages);
        return found == Count ? messages : throw new ReplayException(
            $"Record {Lsn} holds {Counted.Of(found, "message")} and announces {Count}: another build wrote it.");
    }
}
