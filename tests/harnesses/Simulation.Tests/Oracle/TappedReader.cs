using System.Buffers;
using System.IO.Pipelines;

namespace Ambrosia.Simulation.Tests;

/// <summary>Shows what arrives to an observer, before the reader can act on it.</summary>
internal sealed class TappedReader(PipeReader inner, StreamSplitter splitter) : PipeReader
{
    private ReadOnlySequence<byte> _last;
    private long _shown;

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        _shown -= _last.Slice(_last.Start, consumed).Length;
        inner.AdvanceTo(consumed, examined);
    }

    public override void CancelPendingRead() => inner.CancelPendingRead();

    public override void Complete(Exception? exception = null) => inner.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => inner.CompleteAsync(exception);

    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default) =>
        Show(await inner.ReadAsync(cancellationToken));

    public override bool TryRead(out ReadResult result)
    {
        bool read = inner.TryRead(out result);
        if (read)
        {
            Show(result);
        }

        return read;
    }

    private ReadResult Show(in ReadResult result)
    {
        _last = result.Buffer;
        foreach (ReadOnlyMemory<byte> part in _last.Slice(Math.Min(_shown, _last.Length)))
        {
            splitter.Feed(part.Span);
        }

        _shown = Math.Max(_shown, _last.Length);
        return result;
    }
}
