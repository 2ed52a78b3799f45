using System.IO.Pipelines;

namespace Ambrosia.Primitives.Sockets;

/// <summary>
/// Gathers small writes in one buffer; a large one is sent from where it lies, together with what was gathered before it, in one system
/// call.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class SocketPipeWriter(IByteChannel channel) : PipeWriter
{
    private const int Smallest = 4 * 1024;
    private const int KeptBuffer = 256 * 1024;
    private readonly CancelOnDemand _cancel = new();
    private byte[] _buffer = [];
    private int _used;
    private bool _completed;

    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => true;

    /// <inheritdoc/>
    public override long UnflushedBytes => _used;

    /// <inheritdoc/>
    public override void Advance(int bytes)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)bytes, (uint)(_buffer.Length - _used), nameof(bytes));
        _used += bytes;
    }

    /// <inheritdoc/>
    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        Ensure(sizeHint);
        return _buffer.AsMemory(_used);
    }

    /// <inheritdoc/>
    public override Span<byte> GetSpan(int sizeHint = 0)
    {
        Ensure(sizeHint);
        return _buffer.AsSpan(_used);
    }

    /// <inheritdoc/>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) =>
        WriteAsync(ReadOnlyMemory<byte>.Empty, cancellationToken);

    /// <inheritdoc/>
    public override ValueTask<FlushResult> WriteAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_completed, this);
        if (_cancel.TryConsume())
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: true, isCompleted: false));
        }

        return _used + source.Length == 0 ? default : SendAsync(source, cancellationToken);
    }

    /// <inheritdoc/>
    public override void CancelPendingFlush() => _cancel.Cancel();

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null)
    {
        if (!_completed)
        {
            _completed = true; // What was gathered stays as it is: a send that is given up may just be taking it.
            _cancel.Close();
        }
    }

    /// <inheritdoc/>
    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        if (!_completed && exception is null)
        {
            await FlushAsync();
        }

        Complete(exception);
    }

    private async ValueTask<FlushResult> SendAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> gathered = _buffer.AsMemory(0, _used);
        using CancellationTokenSource? both = cancellationToken.CanBeCanceled
            ? CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _cancel.Token) : null;
        try
        {
            await channel.SendAsync(gathered, source, both?.Token ?? _cancel.Token);
            _used = 0;
            if (_buffer.Length > KeptBuffer)
            {
                _buffer = [];
            }

            return default;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested && _cancel.TryConsume())
        {
            return new FlushResult(isCanceled: true, isCompleted: false);
        }
    }

    private void Ensure(int sizeHint)
    {
        ObjectDisposedException.ThrowIf(_completed, this);
        int needed = checked(_used + Math.Max(sizeHint, 1));
        if (_buffer.Length < needed)
        {
            byte[] larger = GC.AllocateUninitializedArray<byte>(
                Math.Max(needed, Math.Max(Smallest, (int)Math.Min(2L * _buffer.Length, Array.MaxLength))));
            Buffer.BlockCopy(_buffer, 0, larger, 0, _used);
            _buffer = larger;
        }
    }
}
