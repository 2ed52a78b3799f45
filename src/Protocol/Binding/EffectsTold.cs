using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// What an app tells about its effects, for people. Data: varint count; for each method string method · varint pending · varint running ·
/// varint attempts · varint failures · string key of the oldest · varint when that was asked for · string last error · varint held.
/// Sent after BecomingPrimary by an app that agreed on <see cref="BindingFeatures.Effects"/>, once a second at most; each replaces the
/// one before.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record EffectsTold(IReadOnlyList<EffectMethodTold> Methods)
{
    /// <summary>Most methods that one message names. A binding with more tells of the first ones.</summary>
    public const int MostMethods = 256;

    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint((ulong)Methods.Count);
        foreach (EffectMethodTold method in Methods)
        {
            writer.WriteString(method.Method, EffectMethodTold.MaxBytes, "effect's method");
            writer.WriteVarint((ulong)method.Pending);
            writer.WriteVarint((ulong)method.Running);
            writer.WriteVarint((ulong)method.Attempts);
            writer.WriteVarint((ulong)method.Failures);
            writer.WriteString(method.Oldest, EffectMethodTold.MaxBytes, "key of an effect");
            writer.WriteVarint((ulong)method.Asked);
            writer.WriteString(method.LastError, EffectMethodTold.MaxBytes, "error of an effect");
            writer.WriteVarint((ulong)method.Held);
        }
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static EffectsTold Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        var methods = new EffectMethodTold[reader.ReadLength(MostMethods, "methods of effects")];
        for (int i = 0; i < methods.Length; i++)
        {
            methods[i] = new EffectMethodTold(ToldText.Read(ref reader, "effect's method"),
                ToldText.ReadNumber(ref reader, "pending effects"), ToldText.ReadNumber(ref reader, "running effects"),
                ToldText.ReadNumber(ref reader, "attempts"), ToldText.ReadNumber(ref reader, "failures"),
                ToldText.Read(ref reader, "key of an effect"), ToldText.ReadTime(ref reader, "time of an effect"),
                ToldText.Read(ref reader, "error of an effect"), ToldText.ReadNumber(ref reader, "held effects"));
        }

        reader.ExpectEnd("figures of effects");
        return new EffectsTold(methods);
    }
}
