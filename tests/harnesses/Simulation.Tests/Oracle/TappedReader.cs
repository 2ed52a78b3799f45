using System.Buffers;
using System.IO.Pipelines;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// Shows what arrives to an observer: before the reader can act on it, or once it has. What was read and not acted on may be lost with the
/// connection.
/// </summary>
internal sealed class TappedReader(PipeReader inner, StreamSplitter splitter, bool whenConsumed = false) : PipeReader
{
    private ReadOnlySequence<byte> _last;
    private long _shown;

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        ReadOnlySequence<byte> done = _last.Slice(_last.Start, consumed);
        _shown -= done.Length;
        Feed(whenConsumed ? done : default);
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
        Feed(whenConsumed ? default : _last.Slice(Math.Min(_shown, _last.Length)));
        _shown = Math.Max(_shown, _last.Length);
        return result;
    }

    private void Feed(in ReadOnlySequence<byte> bytes)
    {
        foreach (ReadOnlyMemory<byte> part in bytes)
        {
            splitter.Feed(part.Span);
        }
    }
}
