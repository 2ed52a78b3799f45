namespace Ambrosia.Protocol;

/// <summary>What an app tells about a saga that compensates, for people.</summary>
/// <param name="Saga">Its name.</param>
/// <param name="Step">The compensation that runs or waits for its next attempt.</param>
/// <param name="Left">Compensations that have not succeeded, this one included.</param>
/// <param name="Attempts">Attempts of this one that failed.</param>
/// <param name="NextAttempt">Ticks of its next attempt; 0 while one runs.</param>
/// <param name="LastError">Why the last attempt failed; "" if none did.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record CompensationTold(string Saga, string Step, long Left, long Attempts, long NextAttempt, string LastError)
{
    internal void Write(in ByteWriter writer)
    {
        writer.WriteString(Saga, ToldText.MaxBytes, "saga's name");
        writer.WriteString(Step, ToldText.MaxBytes, "compensation");
        writer.WriteVarint((ulong)Left);
        writer.WriteVarint((ulong)Attempts);
        writer.WriteVarint((ulong)NextAttempt);
        writer.WriteString(LastError, ToldText.MaxBytes, "error of a compensation");
    }

    internal static CompensationTold Read(ref ByteReader reader) => new(
        ToldText.Read(ref reader, "saga's name"), ToldText.Read(ref reader, "compensation"),
        ToldText.ReadNumber(ref reader, "compensations"), ToldText.ReadNumber(ref reader, "attempts"),
        ToldText.ReadTime(ref reader, "next attempt"), ToldText.Read(ref reader, "error of a compensation"));
}
