using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>
/// One logged step: byte step · varints LSN, index · varints last LSN, last index · varint deaths · flags (1 escaped, 2 exact, 4 unsure) ·
/// string text · string detail. docs/internals/quarantine.md says what each step uses.
/// </summary>
public sealed record QuarantineStep(
    PoisonStep Step, MessagePosition First, MessagePosition Last, int Deaths, bool Escaped, bool Exact, string Text, string Detail)
{
    public const int MaxText = 512;
    private const byte EscapedFlag = 1;
    private const byte ExactFlag = 2;
    private const byte UnsureFlag = 4;

    /// <summary>Largest encoding, in bytes.</summary>
    public const int MaxSize = 1 + 2 * MessagePosition.MaxSize + Varint.MaxSize32 + 1 + 2 * (2 + MaxText);

    /// <summary>
    /// Of a suspected message: whether something of it has left could not be known at that death, for not everybody had answered.
    /// </summary>
    public bool Unsure { get; init; }

    /// <summary>What is to be kept once this is durable; only of a quarantine, and only where it was decided or read again.</summary>
    public DeadLetter? Letter { get; init; }

    /// <summary>Completes when this is durable and has been applied; null if nobody waits.</summary>
    public TaskCompletionSource? Applied { get; init; }

    /// <summary>A step that concerns one message.</summary>
    public static QuarantineStep Of(PoisonStep step, MessagePosition position, string text, string detail = "", int deaths = 0) =>
        new(step, position, position, deaths, false, true, Cut(text), Cut(detail));

    /// <summary>Shortens a text to what fits a mark.</summary>
    public static string Cut(string text) => text.Length <= MaxText / 4 ? text : text[..(MaxText / 4)];

    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteByte((byte)Step);
        writer.WriteVarint(First.Lsn);
        writer.WriteVarint((ulong)First.Index);
        writer.WriteVarint(Last.Lsn);
        writer.WriteVarint((ulong)Last.Index);
        writer.WriteVarint((ulong)Deaths);
        writer.WriteByte((byte)((Escaped ? EscapedFlag : 0) | (Exact ? ExactFlag : 0) | (Unsure ? UnsureFlag : 0)));
        writer.WriteString(Text, MaxText, "mark text");
        writer.WriteString(Detail, MaxText, "mark detail");
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static QuarantineStep Read(ref ByteReader reader)
    {
        byte step = reader.ReadByte("mark step");
        MessagePosition first = MessagePosition.Read(ref reader, "mark first");
        MessagePosition last = MessagePosition.Read(ref reader, "mark last");
        int deaths = reader.ReadLength(int.MaxValue, "mark deaths");
        byte flags = reader.ReadByte("mark flags");
        string text = reader.ReadString(MaxText, "mark text");
        string detail = reader.ReadString(MaxText, "mark detail");
        bool valid = step is >= (byte)PoisonStep.Suspected and <= (byte)PoisonStep.QuarantineRejected && last >= first
            && flags <= (EscapedFlag | ExactFlag | UnsureFlag);
        return valid
            ? new QuarantineStep((PoisonStep)step, first, last, deaths, (flags & EscapedFlag) != 0, (flags & ExactFlag) != 0, text, detail)
                { Unsure = (flags & UnsureFlag) != 0 }
            : throw new ProtocolException($"mark of step {step}, {first} to {last}, flags {flags}", reader.Offset);
    }
}
