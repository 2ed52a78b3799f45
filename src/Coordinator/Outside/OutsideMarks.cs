using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Outside;

/// <summary>
/// What a record says of calls from outside, and admits nothing but this (outside-calls.md X1). Layout: lines (string caller, 16 bytes key,
/// varint born) · calls (varints number since the last one's, message, line, n, low, u64 body) · forgotten lines (varints number since the
/// last one's) · horizons (string caller, varint born); each list is preceded by its varint count.
/// </summary>
public sealed class OutsideMarks
{
    /// <summary>Largest encoding of marks that say nothing, in bytes.</summary>
    public const int MaxEmptySize = 4 * Varint.MaxSize32;

    /// <summary>Lines that it opens, in the order of their numbers.</summary>
    public List<OpenedLine> Lines { get; } = [];

    /// <summary>Calls with a key among its messages, in their order.</summary>
    public List<LineCall> Calls { get; } = [];

    /// <summary>Numbers of lines that are forgotten, ascending.</summary>
    public List<ulong> Forgotten { get; } = [];

    /// <summary>Horizons that rise.</summary>
    public List<KeyHorizon> Horizons { get; } = [];

    /// <summary>Whether they say nothing.</summary>
    public bool IsEmpty => Lines.Count + Calls.Count + Forgotten.Count + Horizons.Count == 0;

    /// <summary>Largest encoding, in bytes.</summary>
    public int MaxSize => (4 * Varint.MaxSize32)
        + Lines.Sum(static line => OutsideLimits.MaxCallerBytes + 2 + KeyHash.Size + Varint.MaxSize64)
        + (Calls.Count * ((5 * Varint.MaxSize64) + 8))
        + (Forgotten.Count * Varint.MaxSize64)
        + (Horizons.Count * (OutsideLimits.MaxCallerBytes + 2 + Varint.MaxSize64));

    /// <summary>Adds others, whose messages stand in the record after so many.</summary>
    public void Add(OutsideMarks others, int messages)
    {
        Lines.AddRange(others.Lines);
        foreach (LineCall call in others.Calls)
        {
            Calls.Add(call with { Index = messages + call.Index });
        }

        Forgotten.AddRange(others.Forgotten);
        Forgotten.Sort();
        Horizons.AddRange(others.Horizons);
    }

    /// <summary>Writes them.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint((ulong)Lines.Count);
        foreach (OpenedLine line in Lines)
        {
            writer.WriteString(line.Caller);
            line.Key.Write(writer);
            writer.WriteVarint(line.Born);
        }

        writer.WriteVarint((ulong)Calls.Count);
        ulong last = 0;
        foreach (LineCall call in Calls)
        {
            writer.WriteVarint(call.Number - last);
            writer.WriteVarint((ulong)call.Index);
            writer.WriteVarint(call.Line);
            writer.WriteVarint(call.N);
            writer.WriteVarint(call.Low);
            writer.WriteUInt64(call.Body);
            last = call.Number;
        }

        writer.WriteVarint((ulong)Forgotten.Count);
        last = 0;
        foreach (ulong line in Forgotten)
        {
            writer.WriteVarint(line - last);
            last = line;
        }

        writer.WriteVarint((ulong)Horizons.Count);
        foreach (KeyHorizon horizon in Horizons)
        {
            writer.WriteString(horizon.Caller);
            writer.WriteVarint(horizon.Born);
        }
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static OutsideMarks Read(ref ByteReader reader)
    {
        var marks = new OutsideMarks();
        for (int n = reader.ReadCount("outside lines"); n > 0; n--)
        {
            marks.Lines.Add(new OpenedLine(
                reader.ReadString(OutsideLimits.MaxCallerBytes, "outside caller"), KeyHash.Read(ref reader),
                reader.ReadVarint("outside born")));
        }

        ulong last = 0;
        for (int n = reader.ReadCount("outside calls"); n > 0; n--)
        {
            last = After(last, ref reader, "outside call");
            marks.Calls.Add(new LineCall(
                last, reader.ReadLength(int.MaxValue, "outside message"), reader.ReadVarint("outside line"), reader.ReadVarint("outside n"),
                reader.ReadVarint("outside low"), reader.ReadUInt64("outside body")));
        }

        last = 0;
        for (int n = reader.ReadCount("outside forgotten"); n > 0; n--)
        {
            marks.Forgotten.Add(last = After(last, ref reader, "outside forgotten line"));
        }

        for (int n = reader.ReadCount("outside horizons"); n > 0; n--)
        {
            marks.Horizons.Add(new KeyHorizon(
                reader.ReadString(OutsideLimits.MaxCallerBytes, "outside caller"), reader.ReadVarint("outside horizon")));
        }

        return marks;
    }

    private static ulong After(ulong last, ref ByteReader reader, string what)
    {
        ulong next = last + reader.ReadVarint(what);
        return next > last ? next : throw new ProtocolException($"{what} {next} follows {last}", reader.Offset);
    }
}
