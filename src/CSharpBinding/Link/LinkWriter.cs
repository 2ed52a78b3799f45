using System.IO.Pipelines;
using Ambrosia.Primitives.Threading;
using Ambrosia.Protocol;

namespace Ambrosia.Link;

/// <summary>
/// Sends what turns and impulses have written, in order. A thread that hands something over while nothing is being sent sends it on
/// the spot, so that an answer leaves without a change of threads; otherwise the sender that is at work takes it along.
/// </summary>
internal sealed class LinkWriter(PipeWriter output, long maxQueuedBytes)
{
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
    private TaskCompletionSource? _atRest; // Set while a close waits for the one that sends.
    private Exception? _failure;
    private long _pendingBytes;
    private bool _active; // Somebody sends: one at a time, and once the link is closed nobody begins.
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
        OutgoingChunk chunk = OutgoingChunk.Whole(type, data, content: null);
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
        if (error is null)
        {
            // A coordinator that has stopped reading must not hold up the end.
            await FirstOf.EndsAsync(SendRestAsync(), Task.Delay(s_patience, time));
        }

        Exception? end = End(error);
        try
        {
            await output.CompleteAsync(end);
        }
        catch (Exception late) when (late is IOException or InvalidOperationException)
        {
            Fail(late); // The coordinator left first, or is still being sent to: either way this connection is over.
        }

        Fail(_failure ?? new LinkClosedException("The connection to the coordinator is closed."));
    }

    // Ends when nobody sends any more.
    private Task SendRestAsync()
    {
        lock (_gate)
        {
            bool broken = _closed;
            _closed = true;
            if (_active)
            {
                _atRest ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                return _atRest.Task;
            }

            if (broken)
            {
                return Task.CompletedTask;
            }

            _active = true; // In place of a thread that has handed something over and comes too late to send it.
        }

        return SendAllAsync();
    }

    // What the transport is completed with. Null lets it flush what it has gathered: while a send runs, or after one that failed, it has
    // gathered what is on its way already, and the coordinator would get that twice.
    private Exception? End(Exception? error)
    {
        lock (_gate)
        {
            _closed = true;
            bool cut = error is null && (_active || _failure is not null);
            Exception? end = cut ? new LinkClosedException("The link ended before the coordinator had taken everything.", _failure) : error;
            _failure ??= error;
            return end;
        }
    }

    private void EnqueueControl(BindingMessageType type, ReadOnlySpan<byte> data, ChunkedBuffer? content = null)
    {
        OutgoingChunk chunk = OutgoingChunk.Whole(type, data, content);
        lock (_gate)
        {
            ThrowIfClosed();
            Enqueue(chunk);
        }
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

        _ = SendAllAsync(); // A close waits for it.
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
            Rest();
        }
    }

    private async Task SendTakenAsync()
    {
        long bytes = 0;
        while (_sent.TryDequeue(out OutgoingChunk? chunk))
        {
            bytes += chunk.Length;
            await ChunkOutput.WriteAsync(output, chunk);
            chunk.Release();
        }

        bytes += _impulses.WriteTaken(output);
        await ChunkOutput.FlushAsync(output.FlushAsync());
        Sent(bytes);
    }

    private bool TakeQueuedOrStop()
    {
        lock (_gate)
        {
            if (TakeQueued())
            {
                return true;
            }

            Rest();
            return false;
        }
    }

    // Nothing is being sent any more.
    private void Rest()
    {
        lock (_gate)
        {
            _active = false;
            _atRest?.SetResult(); // Once: on a closed link nobody begins again.
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
