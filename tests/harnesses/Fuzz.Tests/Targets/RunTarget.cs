using System.Buffers;
using Ambrosia.Coordinator.Records;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>Messages in delivery form with or without a head of counts: in one piece or in several, the verdict is the same.</summary>
internal sealed class RunTarget(string name, RunTarget.Head head, IEnumerable<byte[]> seeds, int weight) : FuzzTarget
{
    private const int LargestMessage = 256;

    /// <summary>Reads what stands before the messages; the numbers are what it says of them, null when it says nothing.</summary>
    public delegate (int? Count, int? Replayable) Head(in ReadOnlySequence<byte> bytes, out ReadOnlySequence<byte> messages);

    public override string Name => name;

    public override int Weight => weight;

    public override int Largest => 2048;

    public override IEnumerable<byte[]> Seeds() => seeds;

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        if (random.OneIn(3))
        {
            RequireSameInPieces(input, random);
        }

        return Read(new ReadOnlySequence<byte>(input)) ? Accepted : "counts that are not those of the messages";
    }

    private void RequireSameInPieces(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        string whole = VerdictOf(new ReadOnlySequence<byte>(input));
        Require(whole == VerdictOf(Pieces.Of(input, random)), "the verdict does not depend on the pieces in which the bytes lie");
    }

    private string VerdictOf(in ReadOnlySequence<byte> bytes)
    {
        try
        {
            return Read(bytes).ToString();
        }
        catch (ProtocolException error)
        {
            return error.Message;
        }
    }

    private bool Read(in ReadOnlySequence<byte> bytes)
    {
        (int? Count, int? Replayable) says = head(bytes, out ReadOnlySequence<byte> messages);
        (int count, int replayable) = MessageRun.Count(messages, LargestMessage, RunOrigin.Own);
        Require(count * 2L <= messages.Length && replayable <= count, "a message takes at least two bytes");
        Require(MessageRun.OffsetOf(messages, count) == messages.Length, "the messages end where the bytes do");
        Require(count == 0 || MessageRun.OffsetOf(messages, count - 1) < messages.Length, "each message is somewhere");
        return (says.Count ?? count) == count && (says.Replayable ?? replayable) == replayable;
    }
}
