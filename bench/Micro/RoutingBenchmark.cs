using System.Buffers;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using BenchmarkDotNet.Attributes;

namespace Ambrosia.Bench.Micro;

/// <summary>What the sending coordinator does: messages from the app into the destination's buffer, out again as batches, and the trim that
/// frees them.</summary>
public class RoutingBenchmark
{
    private const ulong Epoch = 1;
    private const int PerTurn = 64;
    private const int Turns = 128;
    private readonly List<OutputEntry> _batch = [];
    private readonly byte[] _copy = new byte[1 << 20];
    private ReadOnlySequence<byte> _turn;
    private OutputBuffer _buffer = null!;
    private ulong _sent;

    [GlobalSetup]
    public void Open()
    {
        _turn = new ReadOnlySequence<byte>(Messages.Run(16, PerTurn));
        _buffer = new OutputBuffer("sink", new OutputMemory(64 << 20),
            new SpillFile(new MemoryFileSystem(), "/scratch", "sink", new SpillBudget(1 << 30)));
        _buffer.Rebase(new Watermark(0, 0, Epoch));
    }

    [GlobalCleanup]
    public ValueTask CloseAsync() => _buffer.DisposeAsync();

    [Benchmark(OperationsPerInvoke = PerTurn * Turns)]
    public async Task AppendBatchTrim()
    {
        for (int i = 0; i < Turns; i++)
        {
            await _buffer.AppendAsync(_turn, PerTurn);
        }

        ulong last = _sent + (PerTurn * Turns);
        while (_sent < last)
        {
            _buffer.TakeBatch(_sent + 1, _batch);
            foreach (OutputEntry entry in _batch)
            {
                _sent += (ulong)entry.Count;
            }
        }

        _buffer.TrimTo(new Watermark(_sent, _sent, Epoch), Epoch);
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = PerTurn * Turns)]
    public int CopyOnly()
    {
        int offset = 0;
        int size = (int)_turn.Length;
        for (int i = 0; i < Turns; i++, offset += size)
        {
            _turn.CopyTo(_copy.AsSpan(offset % (_copy.Length - size)));
        }

        return offset;
    }
}
