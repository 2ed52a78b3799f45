using System.Buffers;
using System.Buffers.Binary;
using Ambrosia.Protocol;

namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>A message as the model knows it: a replayable one by its number, an impulse by an identity of its own.</summary>
internal readonly record struct ModelMessage(ulong Identity, bool Impulse)
{
    private const int Head = 3 + sizeof(ulong);

    /// <summary>Delivery form. The bytes of a replayable message follow from its number: made again, it is the same.</summary>
    public byte[] ToBytes(int payload)
    {
        byte[] message = new byte[Varint.MaxSize32 + 1 + Head + payload];
        int size = Varint.WriteZigZag(message, 1 + Head + payload);
        message[size++] = (byte)BindingMessageType.Rpc;
        message[size++] = (byte)RpcForm.Call;
        message[size++] = 2; // method 1, zig-zag
        message[size++] = (byte)(Impulse ? RpcKind.Impulse : RpcKind.Fork);
        BinaryPrimitives.WriteUInt64LittleEndian(message.AsSpan(size), Identity);
        message.AsSpan(size + sizeof(ulong), payload).Fill((byte)Identity);
        return message[..(size + sizeof(ulong) + payload)];
    }

    public static byte[] ToBytes(ulong first, int count, int payload)
    {
        var all = new ArrayBufferWriter<byte>();
        for (ulong number = first; number < first + (ulong)count; number++)
        {
            all.Write(new ModelMessage(number, Impulse: false).ToBytes(payload));
        }

        return all.WrittenSpan.ToArray();
    }

    /// <summary>All messages of a run; null when one of them is not what was sent.</summary>
    public static List<ModelMessage>? ReadAll(ReadOnlySpan<byte> run, int payload)
    {
        var messages = new List<ModelMessage>();
        var scanner = new MessageScanner(run);
        while (scanner.MoveNext())
        {
            var message = new ModelMessage(BinaryPrimitives.ReadUInt64LittleEndian(scanner.Data[3..]), scanner.IsImpulse);
            if (scanner.Data.Length != Head + payload || scanner.Data[Head..].IndexOfAnyExcept((byte)message.Identity) >= 0)
            {
                return null;
            }

            messages.Add(message);
        }

        return messages;
    }
}
