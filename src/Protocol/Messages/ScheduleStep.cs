using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// What the process that acts has read off its clock and its rules of time zones for one schedule, as the arguments of an impulse of
/// <see cref="ReservedMethods.ScheduleStep"/>: string name · varint record and varint index of the message that declared it · varint
/// expected · varint run · varint handled · varint left out · varint next · string trouble. Times are ticks of 100 ns since 0001-01-01 UTC.
/// </summary>
/// <param name="Name">Name of the schedule.</param>
/// <param name="Lsn">Record of the message that declared it.</param>
/// <param name="Index">Index of that message.</param>
/// <param name="Expected">The next occurrence that the state knows; 0 if it knows none. With another one the step has no effect.</param>
/// <param name="Run">The occurrence to run now; 0 for none.</param>
/// <param name="Handled">Occurrences up to here were run or left out; 0 if this step only chooses the next one.</param>
/// <param name="LeftOut">Occurrences that were missed and are not run.</param>
/// <param name="Next">The next occurrence; 0 if it cannot be told.</param>
/// <param name="Trouble">Why it cannot be told; "" if it can.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record ScheduleStep(
    string Name, ulong Lsn, int Index, long Expected, long Run, long Handled, long LeftOut, long Next, string Trouble)
{
    /// <summary>Longest name, in bytes.</summary>
    public const int LongestName = 256;

    /// <summary>Longest trouble, in bytes.</summary>
    public const int LongestTrouble = 2048;

    /// <summary>The data of the impulse.</summary>
    public byte[] ToImpulse()
    {
        var output = new ArrayBufferWriter<byte>(64);
        output.Advance(RpcHeader.WriteCall(output.GetSpan(8), ReservedMethods.ScheduleStep, RpcKind.Impulse));
        var writer = new ByteWriter(output);
        writer.WriteString(Name, LongestName, "schedule's name");
        writer.WriteVarint(Lsn);
        writer.WriteVarint((ulong)Index);
        writer.WriteVarint((ulong)Expected);
        writer.WriteVarint((ulong)Run);
        writer.WriteVarint((ulong)Handled);
        writer.WriteVarint((ulong)LeftOut);
        writer.WriteVarint((ulong)Next);
        writer.WriteString(Trouble, LongestTrouble, "schedule's trouble");
        return output.WrittenSpan.ToArray();
    }

    /// <summary>Reads one, if the message is one: anything may follow a reserved id, and what is logged is replayed.</summary>
    public static bool TryRead(in RpcHeader message, out ScheduleStep? step)
    {
        step = null;
        if (message is not { Form: RpcForm.Call, MethodId: ReservedMethods.ScheduleStep, Kind: RpcKind.Impulse })
        {
            return false;
        }

        try
        {
            step = Read(message.Body);
            return true;
        }
        catch (ProtocolException)
        {
            return false;
        }
    }

    /// <summary>Reads the arguments.</summary>
    /// <exception cref="ProtocolException">They are no step.</exception>
    public static ScheduleStep Read(ReadOnlySpan<byte> arguments)
    {
        var reader = new ByteReader(arguments);
        var step = new ScheduleStep(
            reader.ReadString(LongestName, "schedule's name"), reader.ReadVarint("schedule's record"),
            reader.ReadLength(int.MaxValue, "schedule's message"), ToldText.ReadTime(ref reader, "expected occurrence"),
            ToldText.ReadTime(ref reader, "occurrence"), ToldText.ReadTime(ref reader, "handled occurrence"),
            ToldText.ReadNumber(ref reader, "occurrences left out"), ToldText.ReadTime(ref reader, "next occurrence"),
            reader.ReadString(LongestTrouble, "schedule's trouble"));
        reader.ExpectEnd("step of a schedule");
        return step;
    }
}
