using System.IO.Pipelines;

namespace Ambrosia.Simulation.Tests;

/// <summary>Shows what is written to an observer, before it leaves.</summary>
internal sealed class TappedWriter(PipeWriter inner, StreamSplitter splitter) : PipeWriter
{
    private Memory<byte> _memory;

    public override bool CanGetUnflushedBytes => inner.CanGetUnflushedBytes;

    public override long UnflushedBytes => inner.UnflushedBytes;

    public override void Advance(int bytes)
    {
        splitter.Feed(_memory.Span[..bytes]);
        inner.Advance(bytes);
    }

    public override Memory<byte> GetMemory(int sizeHint = 0) => _memory = inner.GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void CancelPendingFlush() => inner.CancelPendingFlush();

    public override void Complete(Exception? exception = null) => inner.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => inner.CompleteAsync(exception);

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) => inner.FlushAsync(cancellationToken);
}
