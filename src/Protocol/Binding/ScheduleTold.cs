namespace Ambrosia.Protocol;

/// <summary>What an app tells about one of its schedules, for people.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Expression">When it runs, as a cron expression.</param>
/// <param name="TimeZone">Id of the time zone in which the expression counts.</param>
/// <param name="Missed">What becomes of missed occurrences, in one word.</param>
/// <param name="Next">Ticks of the next occurrence; 0 if none is known.</param>
/// <param name="Last">Ticks of the occurrence that ran last; 0 if none did.</param>
/// <param name="Runs">Occurrences that ran.</param>
/// <param name="LeftOut">Occurrences that were missed and did not run.</param>
/// <param name="Trouble">Why no next occurrence is known; "" if one is.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record ScheduleTold(
    string Name, string Expression, string TimeZone, string Missed, long Next, long Last, long Runs, long LeftOut, string Trouble)
{
    internal void Write(in ByteWriter writer)
    {
        writer.WriteString(Name, ToldText.MaxBytes, "schedule's name");
        writer.WriteString(Expression, ToldText.MaxBytes, "schedule's expression");
        writer.WriteString(TimeZone, ToldText.MaxBytes, "schedule's time zone");
        writer.WriteString(Missed, ToldText.MaxBytes, "schedule's policy");
        writer.WriteVarint((ulong)Next);
        writer.WriteVarint((ulong)Last);
        writer.WriteVarint((ulong)Runs);
        writer.WriteVarint((ulong)LeftOut);
        writer.WriteString(Trouble, ToldText.MaxBytes, "schedule's trouble");
    }

    internal static ScheduleTold Read(ref ByteReader reader) => new(
        ToldText.Read(ref reader, "schedule's name"), ToldText.Read(ref reader, "schedule's expression"),
        ToldText.Read(ref reader, "schedule's time zone"), ToldText.Read(ref reader, "schedule's policy"),
        ToldText.ReadTime(ref reader, "next occurrence"), ToldText.ReadTime(ref reader, "last occurrence"),
        ToldText.ReadNumber(ref reader, "runs"), ToldText.ReadNumber(ref reader, "missed occurrences"),
        ToldText.Read(ref reader, "schedule's trouble"));
}
