using System.Buffers;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>
/// How an effect ended, as the arguments of the impulse that tells its immortal: varints record, message and ordinal · u64 hash of what was
/// asked for ·
/// varint attempts · form (value, void or exception, as in replies) · the encoded value or exception.
/// </summary>
internal readonly record struct EffectOutcome(EffectKey Key, ulong Hash, int Attempts, RpcForm Form, ReadOnlyMemory<byte> Body)
{
    /// <summary>The outcome of an effect that failed.</summary>
    public static EffectOutcome Failed(EffectKey key, ulong hash, int attempts, Exception error, DeclaredExceptions declared)
    {
        var bytes = new ArrayBufferWriter<byte>();
        var writer = new MessagePackWriter(bytes);
        ExceptionCodec.Write(ref writer, error, declared);
        writer.Flush();
        return new EffectOutcome(key, hash, attempts, RpcForm.Exception, bytes.WrittenMemory);
    }

    /// <summary>The data of the impulse.</summary>
    public byte[] ToImpulse()
    {
        var output = new ArrayBufferWriter<byte>(Body.Length + 48);
        output.Advance(RpcHeader.WriteCall(output.GetSpan(8), ReservedMethods.EffectDone, RpcKind.Impulse));
        var writer = new ByteWriter(output);
        writer.WriteVarint(Key.Lsn);
        writer.WriteVarint((ulong)Key.Index);
        writer.WriteVarint((ulong)Key.Ordinal);
        writer.WriteUInt64(Hash);
        writer.WriteVarint((ulong)Attempts);
        writer.WriteByte((byte)Form);
        writer.WriteBytes(Body.Span);
        return output.WrittenSpan.ToArray();
    }

    /// <summary>Reads one, if the message is one: anything may follow a reserved id, and what is logged is replayed.</summary>
    public static bool TryRead(in RpcHeader message, out EffectOutcome outcome)
    {
        outcome = default;
        if (message is not { Form: RpcForm.Call, MethodId: ReservedMethods.EffectDone, Kind: RpcKind.Impulse })
        {
            return false;
        }

        try
        {
            var head = EffectOutcomeHead.Read(message.Body, out ReadOnlySpan<byte> body);
            outcome = new EffectOutcome(
                new EffectKey(head.Lsn, head.Index, head.Ordinal), head.Hash, head.Attempts, head.Form, body.ToArray());
            return head.Form is RpcForm.Value or RpcForm.Void or RpcForm.Exception;
        }
        catch (ProtocolException)
        {
            return false;
        }
    }
}
