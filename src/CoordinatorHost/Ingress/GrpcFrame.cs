using System.Buffers;
using System.Buffers.Binary;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What stands before each message of gRPC: a byte that says whether it is compressed, and its size.</summary>
internal static class GrpcFrame
{
    /// <summary>Bytes of it.</summary>
    public const int Head = 5;

    /// <summary>Why a message is not taken whose first byte says that it is compressed.</summary>
    public static Problem Compressed { get; } = new(
        StatusCodes.Status415UnsupportedMediaType, IngressErrors.NotJson, "a compressed message is not taken");

    /// <summary>The size of the message behind it.</summary>
    /// <exception cref="ProblemException">The message is compressed.</exception>
    public static uint SizeOf(ReadOnlySpan<byte> head) =>
        head[0] == 0 ? BinaryPrimitives.ReadUInt32BigEndian(head[1..]) : throw new ProblemException(Compressed);

    /// <summary>A message with what stands before it.</summary>
    public static byte[] Of(Action<IBufferWriter<byte>> write)
    {
        var output = new ArrayBufferWriter<byte>(64);
        output.Advance(Head);
        write(output);
        byte[] message = output.WrittenSpan.ToArray();
        BinaryPrimitives.WriteUInt32BigEndian(message.AsSpan(1), (uint)(message.Length - Head));
        return message;
    }
}
