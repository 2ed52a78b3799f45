namespace Ambrosia.Protocol;

/// <summary>What an app tells about a timer that has not fired.</summary>
/// <param name="Id">Its id; later timers have larger ones.</param>
/// <param name="Deadline">Log time at which it is due, in ticks of 100 ns since 0001-01-01 UTC.</param>
/// <param name="AwaitedBy">The method that is suspended on it; "" if none is, or none has a name.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record WaitingTimer(long Id, long Deadline, string AwaitedBy)
{
    internal void Write(in ByteWriter writer)
    {
        writer.WriteVarint((ulong)Id);
        writer.WriteVarint((ulong)Deadline);
        writer.WriteString(AwaitedBy, ToldText.MaxBytes, "method that awaits a timer");
    }

    internal static WaitingTimer Read(ref ByteReader reader) => new(
        ToldText.ReadNumber(ref reader, "id of a timer"), ToldText.ReadTime(ref reader, "deadline of a timer"),
        ToldText.Read(ref reader, "method that awaits a timer"));
}
