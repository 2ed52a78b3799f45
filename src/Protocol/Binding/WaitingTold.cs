using System.Buffers;
using System.Diagnostics;

namespace Ambrosia.Protocol;

/// <summary>
/// What an app waits for: the result of the query <see cref="ReservedMethods.Waiting"/>. Three lists, of calls, awakeables and timers; each
/// as varint how many there are · varint how many of them are told · those, oldest first. A call is varint number · string destination ·
/// zigzag method id · string method · varint record and varint index of the message that made it · varint log time · string method that
/// awaits it; an awakeable varint number · string type · varint deadline · varint record and varint index · varint log time · string method
/// that awaits it; a timer varint id · varint deadline · string method that awaits it. What follows is of later versions, and ignored.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record WaitingTold
{
    /// <summary>Most calls, most awakeables and most timers that are told. Of more the oldest are.</summary>
    public const int Most = 100;

    /// <summary>Calls that await their replies.</summary>
    public long CallCount { get; init; }

    /// <summary>The oldest of them, in the order of their numbers.</summary>
    public IReadOnlyList<WaitingCall> Calls { get; init; } = [];

    /// <summary>Awakeables that are open.</summary>
    public long AwakeableCount { get; init; }

    /// <summary>The oldest of them, in the order of their numbers.</summary>
    public IReadOnlyList<WaitingAwakeable> Awakeables { get; init; } = [];

    /// <summary>Timers that have not fired.</summary>
    public long TimerCount { get; init; }

    /// <summary>The oldest of them, in the order of their ids.</summary>
    public IReadOnlyList<WaitingTimer> Timers { get; init; } = [];

    /// <summary>Writes it.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        WriteCounts(writer, CallCount, Calls.Count);
        foreach (WaitingCall call in Calls)
        {
            call.Write(writer);
        }

        WriteCounts(writer, AwakeableCount, Awakeables.Count);
        foreach (WaitingAwakeable awakeable in Awakeables)
        {
            awakeable.Write(writer);
        }

        WriteCounts(writer, TimerCount, Timers.Count);
        foreach (WaitingTimer timer in Timers)
        {
            timer.Write(writer);
        }
    }

    /// <summary>Reads it.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static WaitingTold Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        var calls = new WaitingCall[ReadCounts(ref reader, "calls", out long callCount)];
        for (int i = 0; i < calls.Length; i++)
        {
            calls[i] = WaitingCall.Read(ref reader);
        }

        var awakeables = new WaitingAwakeable[ReadCounts(ref reader, "awakeables", out long awakeableCount)];
        for (int i = 0; i < awakeables.Length; i++)
        {
            awakeables[i] = WaitingAwakeable.Read(ref reader);
        }

        var timers = new WaitingTimer[ReadCounts(ref reader, "timers", out long timerCount)];
        for (int i = 0; i < timers.Length; i++)
        {
            timers[i] = WaitingTimer.Read(ref reader);
        }

        return new WaitingTold
        {
            CallCount = callCount, Calls = calls, AwakeableCount = awakeableCount, Awakeables = awakeables, TimerCount = timerCount,
            Timers = timers,
        };
    }

    private static void WriteCounts(in ByteWriter writer, long all, int told)
    {
        Debug.Assert(told <= Most && told <= all, "what a reader would refuse");
        writer.WriteVarint((ulong)all);
        writer.WriteVarint((ulong)told);
    }

    private static int ReadCounts(ref ByteReader reader, string what, out long all)
    {
        all = ToldText.ReadNumber(ref reader, what);
        int told = reader.ReadLength(Most, what);
        return told <= all ? told : throw new ProtocolException($"{what}: more are told than there are", reader.Offset);
    }
}
