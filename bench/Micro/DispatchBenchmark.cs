using Ambrosia.Protocol;
using BenchmarkDotNet.Attributes;

namespace Ambrosia.Bench.Micro;

/// <summary>One message through the binding: parsed, dispatched, its handler run, one fork sent and handed over, over pipes in
/// memory.</summary>
public class DispatchBenchmark
{
    private const int PerRecord = 8192;
    private byte[] _payload = [];
    private Relay _relay = null!;
    private InMemoryPeer _peer = null!;

    [GlobalSetup]
    public async Task AttachAsync()
    {
        _payload = Messages.Run(16, PerRecord);
        (_relay, _peer) = (new Relay(), new InMemoryPeer());
        await _peer.AttachAsync(_relay);
    }

    [GlobalCleanup]
    public Task DetachAsync() => _peer.DetachAsync();

    [Benchmark(OperationsPerInvoke = PerRecord * 4)]
    public Task DispatchAndFork() => _peer.RunAsync(_payload, PerRecord, 4);

    [Benchmark(Baseline = true, OperationsPerInvoke = PerRecord * 4)]
    public int ScanOnly()
    {
        int count = 0;
        for (int i = 0; i < 4; i++)
        {
            count += MessageScanner.Count(_payload).Count;
        }

        return count;
    }
}
