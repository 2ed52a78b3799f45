using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Ambrosia.Protocol;

/// <summary>
/// Walks a run of messages in delivery form without copying: the only place that knows where one ends and the next begins.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public ref struct MessageScanner(ReadOnlySpan<byte> messages)
{
    private readonly ReadOnlySpan<byte> _messages = messages;

    /// <summary>Offset of the next message.</summary>
    public int Offset { get; private set; }

    /// <summary>Offset at which the current message starts.</summary>
    public int Start { get; private set; }

    /// <summary>Type of the current message.</summary>
    public BindingMessageType Type { get; private set; }

    /// <summary>Data of the current message, without size and type.</summary>
    public ReadOnlySpan<byte> Data { get; private set; }

    /// <summary>The messages in the current one, which is a batch.</summary>
    /// <exception cref="ProtocolException">It does not begin with its counts.</exception>
    public readonly ReadOnlySpan<byte> Batch
    {
        get
        {
            var reader = new ByteReader(Data);
            reader.ReadZigZag("batch count");
            if (Type == BindingMessageType.CountReplayableRpcBatch)
            {
                reader.ReadZigZag("batch replayable count");
            }

            return reader.Rest;
        }
    }

    /// <summary>True if the current message is an impulse: the only kind that is not replayable.</summary>
    public readonly bool IsImpulse => Type == BindingMessageType.Rpc && RpcHeader.IsImpulse(Data);

    /// <summary>Advances to the next message; false at the end.</summary>
    /// <exception cref="ProtocolException">A message that does not fit what is there.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        Start = Offset;
        ReadOnlySpan<byte> rest = _messages[Offset..];
        if (rest.IsEmpty)
        {
            return false;
        }

        if (!Varint.TryReadZigZag(rest, out long size, out int prefix) || size < 1 || size > rest.Length - prefix)
        {
            ThrowSize(rest.Length, Offset);
        }

        Type = (BindingMessageType)rest[prefix];
        Data = rest.Slice(prefix + 1, (int)size - 1);
        Offset += prefix + (int)size;
        return true;
    }

    /// <summary>
    /// Counts the messages of a run, checking that each is an RPC in delivery form of at most <paramref name="largest"/> bytes, type
    /// included.
    /// </summary>
    /// <exception cref="ProtocolException">Another type of message, a larger one, or bytes that are not messages.</exception>
    public static (int Count, int Replayable) Count(ReadOnlySpan<byte> messages, int largest = int.MaxValue) =>
        Count(messages, largest, out _);

    /// <summary>The same; <paramref name="exceptions"/> is the number of replies that carry an exception.</summary>
    /// <exception cref="ProtocolException">Another type of message, a larger one, or bytes that are not messages.</exception>
    public static (int Count, int Replayable) Count(ReadOnlySpan<byte> messages, int largest, out int exceptions) =>
        Count(messages, largest, RunOrigin.Own, out exceptions);

    /// <summary>
    /// The same; between two instances nothing may travel that only an immortal itself can know (effect-rules.md E19), and no call that
    /// claims to come from outside: its reply would be taken for that of another (outside-calls.md X31).
    /// </summary>
    /// <exception cref="ProtocolException">Another type of message, a larger one, one that is not for others, or bytes that are not
    /// messages.</exception>
    public static (int Count, int Replayable) Count(ReadOnlySpan<byte> messages, int largest, RunOrigin origin, out int exceptions)
    {
        var scanner = new MessageScanner(messages);
        int count = 0;
        int replayable = 0;
        exceptions = 0;
        while (scanner.MoveNext())
        {
            if (scanner.Type != BindingMessageType.Rpc)
            {
                ThrowType(scanner.Type, scanner.Start);
            }

            if (scanner.Data.Length >= largest)
            {
                ThrowLimit(scanner.Data.Length + 1, largest, scanner.Start);
            }

            count++;
            RpcHeader header = RpcHeader.Read(scanner.Data);
            if (origin == RunOrigin.Foreign && header is { Form: RpcForm.Call, MethodId: <= ReservedMethods.EffectDone })
            {
                ThrowReserved(header.MethodId, scanner.Start);
            }

            if (origin == RunOrigin.Foreign && header.Caller.SequenceEqual(InstanceName.OutsideBytes))
            {
                throw new ProtocolException($"a call of {InstanceName.Outside}, which no instance is", scanner.Start);
            }

            replayable += header is { Form: RpcForm.Call, Kind: RpcKind.Impulse } ? 0 : 1;
            exceptions += scanner.Data[0] == (byte)RpcForm.Exception ? 1 : 0;
        }

        return (count, replayable);
    }

    // Apart, for a text with values in it makes whatever method it stands in clear its locals.
    [DoesNotReturn]
    private static void ThrowSize(int left, int offset) =>
        throw new ProtocolException($"message size does not fit the {left} bytes left", offset);

    [DoesNotReturn]
    private static void ThrowType(BindingMessageType type, int offset) =>
        throw new ProtocolException($"message of type {(byte)type} inside a run of RPCs", offset);

    [DoesNotReturn]
    private static void ThrowLimit(int size, int largest, int offset) =>
        throw new ProtocolException($"message of {size} bytes; the limit is {largest}", offset);

    [DoesNotReturn]
    private static void ThrowReserved(int methodId, int offset) =>
        throw new ProtocolException($"method id {methodId}, which only an immortal itself may use", offset);
}
