namespace Ambrosia.Bench.Immortals;

/// <summary>Counts what it gets; the count is state as anywhere else.</summary>
public sealed class Sink : SinkBase
{
    private long _taken;
    private long _takenBefore;

    public override DurableTask Take(byte[] payload)
    {
        _taken++;
        return default;
    }

    public override DurableTask EndBatch(string sender)
    {
        Proxy<SourceProxy>(sender).BatchExecutedFork(_taken - _takenBefore);
        _takenBefore = _taken;
        return default;
    }

    public override DurableTask<byte[]> Echo(byte[] payload) => payload;
}
