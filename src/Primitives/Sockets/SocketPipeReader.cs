using System.Buffers;
using System.IO.Pipelines;

namespace Ambrosia.Primitives.Sockets;

/// <summary>
/// Reads into one buffer that grows with the traffic, so that what was received is always one piece: messages are parsed and checked where
/// they are, and only what is left of an incomplete one is ever moved.
/// </summary>
/// <param name="channel">Where the bytes come from.</param>
/// <param name="largest">Bytes up to which the buffer grows because more could be received at once; beyond, only for a message that does
/// not fit.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class SocketPipeReader(IByteChannel channel, int largest) : PipeReader
{
    private const int Smallest = 16 * 1024;
    private const int IndexMask = int.MaxValue; // ReadOnlySequence marks positions in arrays with the bit above.
    private readonly CancelOnDemand _cancel = new();
    private byte[] _buffer = [];
    private int _start; // First byte that was not consumed.
    private int _seen; // First byte that was not examined.
    private int _end; // Behind the last byte received.
    private int _wanted = Smallest;
    private bool _ended;
    private bool _completed;

    /// <inheritdoc/>
    public override bool TryRead(out ReadResult result)
    {
        ObjectDisposedException.ThrowIf(_completed, this);
        bool canceled = _cancel.TryConsume();
        bool news = canceled || _ended || _seen < _end;
        result = news ? Result(canceled) : default;
        return news;
    }

    /// <inheritdoc/>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        return TryRead(out ReadResult result) ? new ValueTask<ReadResult>(result) : ReceiveAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        int start = IndexOf(consumed);
        int seen = IndexOf(examined);
        if (start < _start || seen < start || seen > _end)
        {
            throw new ArgumentOutOfRangeException(nameof(consumed), $"{start}/{seen} is outside of {_start} to {_end}.");
        }

        (_start, _seen) = (start, seen);
    }

    /// <inheritdoc/>
    public override void CancelPendingRead() => _cancel.Cancel();

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null)
    {
        if (!_completed)
        {
            _completed = true;
            _buffer = [];
            _cancel.Close();
        }
    }

    private int IndexOf(SequencePosition position) => position.GetObject() is null ? _start : position.GetInteger() & IndexMask;

    private ReadResult Result(bool canceled) => new(new ReadOnlySequence<byte>(_buffer, _start, _end - _start), canceled, _ended);

    private async ValueTask<ReadResult> ReceiveAsync(CancellationToken cancellationToken)
    {
        MakeRoom();
        using CancellationTokenSource? both = cancellationToken.CanBeCanceled
            ? CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _cancel.Token) : null;
        try
        {
            int room = _buffer.Length - _end;
            int received = await channel.ReceiveAsync(_buffer.AsMemory(_end, room), both?.Token ?? _cancel.Token);
            _end += received;
            _ended = received == 0;
            if (received == room && _wanted < largest)
            {
                _wanted *= 2; // There was more.
            }

            return Result(_cancel.TryConsume());
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested && _cancel.TryConsume())
        {
            return Result(canceled: true);
        }
    }

    private void MakeRoom()
    {
        int unread = _end - _start;
        if (unread == 0)
        {
            (_start, _seen, _end) = (0, 0, 0);
        }

        bool tooSmall = _buffer.Length < _wanted || unread > _buffer.Length / 2;
        bool tooLarge = _buffer.Length > 2 * largest && unread < largest / 2; // A large message has gone.
        if (tooSmall || tooLarge)
        {
            MoveTo(GC.AllocateUninitializedArray<byte>((int)Math.Min(Math.Max(_wanted, 2L * unread), Array.MaxLength)), unread);
        }
        else if (_buffer.Length - _end < _buffer.Length / 4)
        {
            MoveTo(_buffer, unread);
        }
    }

    private void MoveTo(byte[] buffer, int unread)
    {
        Buffer.BlockCopy(_buffer, _start, buffer, 0, unread);
        (_buffer, _start, _seen, _end) = (buffer, 0, _seen - _start, unread);
    }
}
