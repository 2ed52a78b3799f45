using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.State;

/// <summary>What a decision drops: replayable messages, impulses, and how many of the former are calls that await an answer.</summary>
public readonly record struct DroppedCounts(long Messages, long Impulses, long Calls)
{
    /// <summary>With a further run.</summary>
    public DroppedCounts With(ReadOnlySpan<byte> run, int count, bool impulses)
    {
        if (impulses)
        {
            return this with { Impulses = Impulses + count };
        }

        long calls = 0;
        var scanner = new MessageScanner(run);
        while (scanner.MoveNext())
        {
            calls += RpcHeader.Read(scanner.Data) is { Form: RpcForm.Call, Kind: RpcKind.Async } ? 1 : 0;
        }

        return this with { Messages = Messages + count, Calls = Calls + calls };
    }
}
