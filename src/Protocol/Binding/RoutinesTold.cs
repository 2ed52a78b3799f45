using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// What an app tells about its schedules and its compensations, for people. Data: varint count; for each schedule string name · string
/// expression · string time zone · string policy for what was missed · varint next · varint last · varint runs · varint missed · string
/// trouble; varint count; for each compensation string saga · string step · varint steps left · varint attempts · varint next attempt ·
/// string last error. Times are ticks of 100 ns since 0001-01-01 UTC, 0 for none. Sent after BecomingPrimary by an app that agreed on
/// <see cref="BindingFeatures.Routines"/>, once a second at most; each replaces the one before.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record RoutinesTold(IReadOnlyList<ScheduleTold> Schedules, IReadOnlyList<CompensationTold> Compensations)
{
    /// <summary>Most schedules, and most compensations, that one message names. A binding with more tells of the first ones.</summary>
    public const int Most = 256;

    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint((ulong)Schedules.Count);
        foreach (ScheduleTold schedule in Schedules)
        {
            schedule.Write(writer);
        }

        writer.WriteVarint((ulong)Compensations.Count);
        foreach (CompensationTold compensation in Compensations)
        {
            compensation.Write(writer);
        }
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static RoutinesTold Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        var schedules = new ScheduleTold[reader.ReadLength(Most, "schedules")];
        for (int i = 0; i < schedules.Length; i++)
        {
            schedules[i] = ScheduleTold.Read(ref reader);
        }

        var compensations = new CompensationTold[reader.ReadLength(Most, "compensations")];
        for (int i = 0; i < compensations.Length; i++)
        {
            compensations[i] = CompensationTold.Read(ref reader);
        }

        reader.ExpectEnd("schedules and compensations");
        return new RoutinesTold(schedules, compensations);
    }
}
