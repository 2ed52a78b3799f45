using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// What is logged of effects besides their outcomes, so that the next process knows which of them ends processes (effect-rules.md E20), as
/// the arguments of an impulse to oneself: kind · by kind u64 life and u64 build, u64 life, or varints record, message and ordinal; behind
/// those of what was given up, string reason.
/// </summary>
internal readonly record struct EffectNote(EffectNoteKind Kind, EffectKey Key, ulong Life, ulong Build, string Text)
{
    // In bytes.
    private const int LongestText = 2048;

    /// <summary>A note about a life.</summary>
    public static EffectNote Of(EffectNoteKind kind, ulong life, ulong build) => new(kind, default, life, build, "");

    /// <summary>A note about one effect.</summary>
    public static EffectNote Of(EffectNoteKind kind, EffectKey key, string text = "") => new(kind, key, 0, 0, text);

    /// <summary>The data of the impulse.</summary>
    public byte[] ToImpulse()
    {
        var output = new ArrayBufferWriter<byte>(64);
        output.Advance(RpcHeader.WriteCall(output.GetSpan(8), ReservedMethods.EffectNote, RpcKind.Impulse));
        var writer = new ByteWriter(output);
        writer.WriteByte((byte)Kind);
        switch (Kind)
        {
            case EffectNoteKind.LifeBegins:
                writer.WriteUInt64(Life);
                writer.WriteUInt64(Build);
                break;
            case EffectNoteKind.LifeEnds:
                writer.WriteUInt64(Life);
                break;
            default:
                writer.WriteVarint(Key.Lsn);
                writer.WriteVarint((ulong)Key.Index);
                writer.WriteVarint((ulong)Key.Ordinal);
                if (Kind == EffectNoteKind.GivenUp)
                {
                    writer.WriteString(Text, LongestText, "reason");
                }

                break;
        }

        return output.WrittenSpan.ToArray();
    }

    /// <summary>Reads one, if the message is one: anything may follow a reserved id, and what is logged is replayed.</summary>
    public static bool TryRead(in RpcHeader message, out EffectNote note)
    {
        note = default;
        return message is { Form: RpcForm.Call, MethodId: ReservedMethods.EffectNote, Kind: RpcKind.Impulse }
            && TryRead(message.Body, out note);
    }

    /// <summary>Reads the arguments.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out EffectNote note)
    {
        note = default;
        try
        {
            var reader = new ByteReader(body);
            var kind = (EffectNoteKind)reader.ReadByte("kind of a note");
            note = kind switch
            {
                EffectNoteKind.LifeBegins => Of(kind, reader.ReadUInt64("life"), reader.ReadUInt64("build")),
                EffectNoteKind.LifeEnds => Of(kind, reader.ReadUInt64("life"), 0),
                _ => Of(kind, ReadKey(ref reader)),
            };
            note = kind == EffectNoteKind.GivenUp ? note with { Text = reader.ReadString(LongestText, "reason") } : note;
            return kind <= EffectNoteKind.GivenUp;
        }
        catch (ProtocolException)
        {
            return false;
        }
    }

    private static EffectKey ReadKey(ref ByteReader reader) => new(reader.ReadVarint("effect's record"),
        reader.ReadLength(int.MaxValue, "effect's message"), reader.ReadLength(int.MaxValue, "effect's ordinal"));
}
