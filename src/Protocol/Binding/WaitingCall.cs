namespace Ambrosia.Protocol;

/// <summary>What an app tells about a call that awaits its reply.</summary>
/// <param name="Number">Its number; later calls have larger ones.</param>
/// <param name="Destination">The instance that is called; "" for the app's own, or if that is not known.</param>
/// <param name="MethodId">The method that is called; 0 if that is not known.</param>
/// <param name="Method">Its name; "" if the app does not know it.</param>
/// <param name="Since">The message whose turn made the call; record 0 if that is not known, and then nothing else of the call is.</param>
/// <param name="Time">Log time of that turn, in ticks of 100 ns since 0001-01-01 UTC; 0 if that is not known.</param>
/// <param name="AwaitedBy">The method that is suspended on it; "" if none is, or none has a name.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record WaitingCall(
    long Number, string Destination, int MethodId, string Method, MessagePosition Since, long Time, string AwaitedBy)
{
    internal void Write(in ByteWriter writer)
    {
        writer.WriteVarint((ulong)Number);
        writer.WriteString(Destination, ToldText.MaxBytes, "destination of a call");
        writer.WriteZigZag(MethodId);
        writer.WriteString(Method, ToldText.MaxBytes, "method of a call");
        writer.WriteVarint(Since.Lsn);
        writer.WriteVarint((ulong)Since.Index);
        writer.WriteVarint((ulong)Time);
        writer.WriteString(AwaitedBy, ToldText.MaxBytes, "method that awaits a call");
    }

    internal static WaitingCall Read(ref ByteReader reader) => new(
        ToldText.ReadNumber(ref reader, "number of a call"), ToldText.Read(ref reader, "destination of a call"), ReadMethodId(ref reader),
        ToldText.Read(ref reader, "method of a call"), MessagePosition.Read(ref reader, "position of a call"),
        ToldText.ReadTime(ref reader, "time of a call"), ToldText.Read(ref reader, "method that awaits a call"));

    private static int ReadMethodId(ref ByteReader reader) => reader.ReadZigZag("method id of a call") is var id
        && id is >= int.MinValue and <= int.MaxValue ? (int)id : throw new ProtocolException("method id of a call beyond 32 bits", 0);
}
