using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Protocol;

namespace Ambrosia.Link;

/// <summary>
/// Sends what turns and impulses have written, in order. A thread that hands something over while nothing is being sent sends it on
/// the spot, so that an answer leaves without a change of threads; otherwise the sender that is at work takes it along.
/// </summary>
internal sealed class LinkWriter(PipeWriter output, long maxQueuedBytes)
{
    // From this size on a range goes to the transport as it is; smaller ones are gathered first.
    private const int DirectWrite = 16 * 1024;
    private const int ImpulseLimitFactor = 8;
    private const int RoundsPerTurn = 16;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);
    private readonly object _gate = new();
    private Queue<OutgoingChunk> _queued = new();
    private Queue<OutgoingChunk> _sent = new();
    private readonly ImpulseBuffer _impulses = new();
    private readonly Queue<(long Mark, Action Taken)> _whenTaken = new();
    private long _takenBytes;
    private TaskCompletionSource? _room;
    private Task _sending = Task.CompletedTask;
    private Exception? _failure;
    private long _pendingBytes;
    private bool _active;
    private volatile bool _closed; // Written with the gate held; one-way.

    /// <summary>Bytes handed over and not yet taken by the transport.</summary>
    public long PendingBytes => Interlocked.Read(ref _pendingBytes);

    /// <summary>Throws if the link is closed. The session asks before each message, because a turn does not notice.</summary>
    /// <exception cref="LinkClosedException">The coordinator is gone.</exception>
    public void ThrowIfClosed()
    {
        if (_closed)
        {
            throw new LinkClosedException(_failure?.Message ?? "The connection to the coordinator is closed.", _failure);
        }
    }

    /// <summary>True once nothing can be sent any more.</summary>
    public bool IsClosed => _closed;

    /// <summary>Calls back once the transport has taken everything that was handed over so far; never if the link closes before.</summary>
    public void OnTaken(Action taken)
    {
        lock (_gate)
        {
            if (_closed)
            {
                return;
            }

            if (PendingBytes > 0)
            {
                _whenTaken.Enqueue((_takenBytes + PendingBytes, taken));
                return;
            }
        }

        taken();
    }

    /// <summary>Hands over everything the page holds. The caller goes on filling the page while it is sent.</summary>
    /// <exception cref="LinkClosedException">The coordinator is gone.</exception>
    public void Submit(OutgoingPage page)
    {
        lock (_gate)
        {
            ThrowIfClosed();
            int before = _queued.Count;
            page.TakeAll(_queued);
            if (_queued.Count == before)
            {
                return;
            }

            long bytes = 0;
            int index = 0;
            foreach (OutgoingChunk chunk in _queued)
            {
                bytes += index++ < before ? 0 : chunk.Length;
            }

            Interlocked.Add(ref _pendingBytes, bytes);
        }

        Send();
    }

    /// <summary>Hands over one complete message of another type, from any thread.</summary>
    /// <exception cref="LinkClosedException">The coordinator is gone.</exception>
    public void SubmitControl(BindingMessageType type, ReadOnlySpan<byte> data)
    {
        EnqueueControl(type, data);
        Send();
    }

    /// <summary>
    /// Hands over one complete message of a turn, to leave with whatever is sent next. A closed link swallows it: an exception would enter
    /// a handler, which would do something that no replay repeats.
    /// </summary>
    public void EnqueueOfTurn(BindingMessageType type, ReadOnlySpan<byte> data)
    {
        OutgoingChunk chunk = Whole(type, data, content: null);
        lock (_gate)
        {
            if (!_closed)
            {
                Enqueue(chunk);
            }
        }
    }

    /// <summary>Hands over one impulse, from any thread.</summary>
    /// <param name="destination">Its destination.</param>
    /// <param name="message">Data of its type 0 message.</param>
    /// <param name="always">True for what the runtime itself sends: there is nobody to await.</param>
    /// <returns>A task that ends when the queue is below its limit again: awaiting it holds a producer back.</returns>
    /// <exception cref="LinkClosedException">The coordinator is gone.</exception>
    /// <exception cref="InvalidOperationException">The queue is far above its limit: somebody sends without awaiting.</exception>
    public Task SubmitImpulse(Destination destination, ReadOnlySpan<byte> message, bool always = false)
    {
        Task room;
        lock (_gate)
        {
            ThrowIfClosed();
            if (!always && PendingBytes > ImpulseLimitFactor * maxQueuedBytes)
            {
                throw new InvalidOperationException(
                    $"{PendingBytes} bytes wait to be sent: impulses are sent faster than the coordinator takes them. Await the task that "
                    + $"each one returns.");
            }

            Interlocked.Add(ref _pendingBytes, _impulses.Append(destination, message));
            room = RoomOf();
        }

        Send();
        return room;
    }

    /// <summary>Hands over a checkpoint, which is disposed once it was sent.</summary>
    public void SubmitCheckpoint(ChunkedBuffer content)
    {
        Span<byte> size = stackalloc byte[Varint.MaxSize64];
        EnqueueControl(BindingMessageType.Checkpoint, size[..Varint.WriteZigZag(size, content.Length)], content);
        Send();
    }

    /// <summary>
    /// Completes when less than the limit is waiting to be sent, or the link is closed; this is how a slow coordinator slows its app.
    /// </summary>
    public async Task WaitForRoomAsync(CancellationToken stop)
    {
        Task room;
        lock (_gate)
        {
            room = RoomOf();
        }

        // Not Task.WhenAny: that goes through the thread pool, and a turn belongs to the context in which it began.
        var either = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using (stop.UnsafeRegister(static task => ((TaskCompletionSource)task!).TrySetResult(), either))
        {
            _ = ForwardAsync(room, either);
            await either.Task;
        }
    }

    /// <summary>
    /// Ends after everything handed over so far was sent, or after five seconds in which it was not. Nothing may be handed over
    /// afterwards.
    /// </summary>
    public async Task CloseAsync(Exception? error, TimeProvider time)
    {
        Task sending;
        lock (_gate)
        {
            _closed = true;
            _failure ??= error;
            sending = _sending;
        }

        if (error is null)
        {
            await Task.WhenAny(sending, Task.Delay(s_patience, time)); // A coordinator that has stopped reading must not hold up the end.
        }

        try
        {
            await output.CompleteAsync(error);
        }
        catch (Exception late) when (late is IOException or InvalidOperationException)
        {
            Fail(late); // The coordinator left first, or is still being sent to: either way this connection is over.
        }

        Fail(_failure ?? new LinkClosedException("The connection to the coordinator is closed."));
    }

    private void EnqueueControl(BindingMessageType type, ReadOnlySpan<byte> data, ChunkedBuffer? content = null)
    {
        OutgoingChunk chunk = Whole(type, data, content);
        lock (_gate)
        {
            ThrowIfClosed();
            Enqueue(chunk);
        }
    }

    private static OutgoingChunk Whole(BindingMessageType type, ReadOnlySpan<byte> data, ChunkedBuffer? content)
    {
        var chunk = new OutgoingChunk(Varint.MaxSize32 + 1 + data.Length) { Content = content };
        int size = Varint.WriteZigZag(chunk.Buffer, data.Length + 1);
        chunk.Buffer[size++] = (byte)type;
        data.CopyTo(chunk.Buffer.AsSpan(size));
        chunk.Add(0, size + data.Length);
        return chunk;
    }

    // Called with the gate held.
    private void Enqueue(OutgoingChunk chunk)
    {
        _queued.Enqueue(chunk);
        Interlocked.Add(ref _pendingBytes, chunk.Length);
    }

    private static async Task ForwardAsync(Task awaited, TaskCompletionSource either)
    {
        await awaited;
        either.TrySetResult();
    }

    // Called with the gate held.
    private Task RoomOf()
    {
        if (_closed || Interlocked.Read(ref _pendingBytes) < maxQueuedBytes)
        {
            return Task.CompletedTask;
        }

        _room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        return _room.Task;
    }

    private void Send()
    {
        lock (_gate)
        {
            if (_active || _closed)
            {
                return;
            }

            _active = true;
        }

        Task sending = SendAllAsync();
        lock (_gate)
        {
            _sending = sending;
        }
    }

    private async Task SendAllAsync()
    {
        try
        {
            for (int round = 1; TakeQueuedOrStop(); round++)
            {
                await SendTakenAsync();
                if (round % RoundsPerTurn == 0)
                {
                    await Task.Yield(); // Others keep handing things over: this thread may be the dispatcher, which has a turn to run.
                }
            }
        }
        catch (Exception error)
            when (error is IOException or InvalidOperationException or ObjectDisposedException or OperationCanceledException)
        {
            Fail(error);
        }
    }

    private async Task SendTakenAsync()
    {
        long bytes = 0;
        while (_sent.TryDequeue(out OutgoingChunk? chunk))
        {
            bytes += chunk.Length;
            await WriteAsync(chunk);
            chunk.Release();
        }

        bytes += _impulses.WriteTaken(output);
        await FlushAsync(output.FlushAsync());
        Sent(bytes);
    }

    private async ValueTask WriteAsync(OutgoingChunk chunk)
    {
        for (int i = 0; i < chunk.Ranges.Length; i++)
        {
            ReadOnlyMemory<byte> range = chunk[i];
            if (range.Length >= DirectWrite)
            {
                await FlushAsync(output.WriteAsync(range));
            }
            else
            {
                output.Write(range.Span);
            }
        }

        foreach (ReadOnlyMemory<byte> part in chunk.Content?.ToSequence() ?? default)
        {
            await FlushAsync(output.WriteAsync(part));
        }
    }

    private static async ValueTask FlushAsync(ValueTask<FlushResult> flush)
    {
        FlushResult result = await flush;
        if (result.IsCompleted)
        {
            throw new LinkClosedException("The coordinator has closed the connection.");
        }
    }

    private bool TakeQueuedOrStop()
    {
        lock (_gate)
        {
            if (TakeQueued())
            {
                return true;
            }

            _active = false;
            return false;
        }
    }

    private bool TakeQueued()
    {
        lock (_gate)
        {
            // Chunks before impulses: the immortal's own number, which impulses use, was announced in the first of them.
            (_queued, _sent) = (_sent, _queued);
            return _impulses.Take() || _sent.Count > 0;
        }
    }

    private void Sent(long bytes)
    {
        TaskCompletionSource? room = null;
        bool anyWaits;
        lock (_gate)
        {
            _takenBytes += bytes;
            anyWaits = _whenTaken.Count > 0;
            if (Interlocked.Add(ref _pendingBytes, -bytes) < maxQueuedBytes)
            {
                (room, _room) = (_room, null);
            }
        }

        room?.SetResult();
        while (anyWaits && TakeTaken() is { } taken)
        {
            taken();
        }
    }

    private Action? TakeTaken()
    {
        lock (_gate)
        {
            return !_closed && _whenTaken.TryPeek(out (long Mark, Action Taken) first) && first.Mark <= _takenBytes ? _whenTaken.Dequeue()
                .Taken : null;
        }
    }

    private void Fail(Exception error)
    {
        TaskCompletionSource? room;
        lock (_gate)
        {
            _failure ??= error;
            _closed = true;
            (room, _room) = (_room, null);
        }

        room?.SetResult();
    }
}
