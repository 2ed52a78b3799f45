using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Ambrosia.Coordinator.Transport.Memory;

/// <summary>The sending end of a <see cref="MemoryWire"/>.</summary>
internal sealed class MemoryWireWriter(MemoryWire wire, MemoryConnection connection) : PipeWriter
{
    private readonly PipeWriter _inner = wire.Pipe.Writer;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _inner.UnflushedBytes;

    public override void Advance(int bytes) => _inner.Advance(bytes);

    public override Memory<byte> GetMemory(int sizeHint = 0) => _inner.GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => _inner.GetSpan(sizeHint);

    public override void CancelPendingFlush() => _inner.CancelPendingFlush();

    public override void Complete(Exception? exception = null)
    {
        if (!connection.IsSevered)
        {
            _inner.Complete(exception);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        connection.ThrowIfBroken();
        FlushResult result = await _inner.FlushAsync(cancellationToken);
        connection.ThrowIfBroken();
        return result;
    }
}
