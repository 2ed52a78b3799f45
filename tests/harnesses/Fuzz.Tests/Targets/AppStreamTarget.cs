using System.Buffers;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>What an app sends, cut into messages by the coordinator.</summary>
internal sealed class AppStreamTarget : FuzzTarget
{
    private const long Limit = 1000;

    public override string Name => "app-stream";

    public override int Weight => 10;

    public override int Largest => 2048;

    public override IEnumerable<byte[]> Seeds() => [.. Vectors.Of("message"), .. Vectors.Of("run")];

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        (ulong Hash, long Left, string? Refusal) whole = ReadAll(new ReadOnlySequence<byte>(input));
        if (random.OneIn(3))
        {
            Require(whole == ReadAll(Pieces.Of(input, random)), "messages do not depend on the pieces in which the bytes lie");
        }

        return whole.Refusal is { } reason ? throw new ProtocolException(reason, 0) : whole.Left == 0 ? Accepted : Incomplete;
    }

    private static (ulong Hash, long Left, string? Refusal) ReadAll(ReadOnlySequence<byte> stream)
    {
        ulong hash = 0;
        try
        {
            while (!stream.IsEmpty && AppMessage.TryRead(stream, Limit, out AppMessage message))
            {
                Require(message.Data.Length < Limit && message.TotalSize > message.Data.Length, "a message is within the limit");
                hash = FuzzRandom.Mix(hash, ((ulong)message.Type << 32) ^ (ulong)message.TotalSize);
                stream = stream.Slice(message.TotalSize);
            }

            return (hash, stream.Length, null);
        }
        catch (ProtocolException error)
        {
            return (hash, stream.Length, error.Rule);
        }
    }
}
