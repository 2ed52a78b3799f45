namespace Ambrosia.Protocol;

/// <summary>
/// What an app tells about an awakeable that is open. Never its id or URL: everybody who has one may complete it
/// (docs/internals/outside-calls.md).
/// </summary>
/// <param name="Number">Its number, one of those of calls.</param>
/// <param name="Type">Name of the type of its value.</param>
/// <param name="Deadline">Log time of its deadline, in ticks of 100 ns since 0001-01-01 UTC; 0 for none.</param>
/// <param name="Since">The message whose turn opened it; record 0 if that is not known.</param>
/// <param name="Time">Log time of that turn, in ticks; 0 if that is not known.</param>
/// <param name="AwaitedBy">The method that is suspended on it; "" if none is, or none has a name.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record WaitingAwakeable(long Number, string Type, long Deadline, MessagePosition Since, long Time, string AwaitedBy)
{
    internal void Write(in ByteWriter writer)
    {
        writer.WriteVarint((ulong)Number);
        writer.WriteString(Type, ToldText.MaxBytes, "type of an awakeable");
        writer.WriteVarint((ulong)Deadline);
        writer.WriteVarint(Since.Lsn);
        writer.WriteVarint((ulong)Since.Index);
        writer.WriteVarint((ulong)Time);
        writer.WriteString(AwaitedBy, ToldText.MaxBytes, "method that awaits an awakeable");
    }

    internal static WaitingAwakeable Read(ref ByteReader reader) => new(
        ToldText.ReadNumber(ref reader, "number of an awakeable"), ToldText.Read(ref reader, "type of an awakeable"),
        ToldText.ReadTime(ref reader, "deadline of an awakeable"), MessagePosition.Read(ref reader, "position of an awakeable"),
        ToldText.ReadTime(ref reader, "time of an awakeable"), ToldText.Read(ref reader, "method that awaits an awakeable"));
}
