using Google.Protobuf;

namespace Ambrosia.Bench.Outside;

/// <summary>Arguments and result of Echo in MessagePack: an array of one byte string, and that byte string.</summary>
internal static class EchoMessage
{
    private const byte ArrayOfOne = 0x91;
    private const byte ShortBytes = 0xc4; // And then their count, in a byte.

    /// <summary>The arguments.</summary>
    public static ByteString Arguments(int size) =>
        ByteString.CopyFrom([ArrayOfOne, ShortBytes, checked((byte)size), .. new byte[size]]);

    /// <summary>The result for these arguments, which nobody looks at more closely.</summary>
    public static ByteString Result(ByteString arguments) => ByteString.CopyFrom(arguments.Span[1..]);
}
