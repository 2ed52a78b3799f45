using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Threading.Channels;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// Calls of one client on one stream to an instance. It keeps no call after its end: each that has no reply is told how the stream ended,
/// and what has given it decides whether it goes again.
/// </summary>
internal sealed class InstanceStream : IDisposable
{
    private const int MostMessage = 64 << 10; // Bytes of calls, unless one alone has more.

    // Calls, and words that nobody waits for one, that wait to be written. A client has no more places than a quarter of that.
    private const int MostUnwritten = 4096;
    private static readonly TimeSpan s_use = TimeSpan.FromMinutes(4); // An instance ends it after five.
    private static readonly TimeSpan s_farewell = TimeSpan.FromSeconds(5);
    private readonly Channel<PassedCall> _leaving =
        Channel.CreateUnbounded<PassedCall>(new UnboundedChannelOptions { SingleReader = true });

    private readonly object _gate = new();
    private readonly Dictionary<ulong, PassedCall> _waiting = [];
    private readonly CancellationTokenSource _life;
    private readonly CancellationToken _stop;
    private readonly ReplyRoom _room;
    private readonly TimeProvider _time;
    private readonly long _opened;
    private ulong _last;
    private int _unwritten;
    private bool _isLeft;
    private bool _hasReplied;
    private bool _isHeldUp;
    private long _readAgain;
    private StreamEnd? _end;

    /// <summary>Opens one.</summary>
    /// <param name="send">Sends its request.</param>
    /// <param name="room">While the client has not taken its replies, no more are read.</param>
    /// <param name="time">Clock.</param>
    public InstanceStream(
        Func<HttpContent, CancellationToken, Task<HttpResponseMessage>> send, ReplyRoom room, TimeProvider time)
    {
        (_room, _time, _opened) = (room, time, time.GetTimestamp());
        _life = new CancellationTokenSource(Timeout.InfiniteTimeSpan, time);
        _stop = _life.Token; // That of a source that is disposed could not be asked for.
        Ended = RunAsync(send);
    }

    /// <summary>It is over, and so is all that it did.</summary>
    public Task Ended { get; }

    /// <summary>Whether another call may go on it.</summary>
    public bool Serves
    {
        get
        {
            lock (_gate)
            {
                return !_isLeft && _time.GetElapsedTime(_opened) < s_use;
            }
        }
    }

    /// <summary>Whether replies are not read because the client takes none.</summary>
    public bool IsHeldUp
    {
        get
        {
            lock (_gate)
            {
                return _isHeldUp;
            }
        }
    }

    /// <summary>Sends a call, and waits for what the instance says.</summary>
    /// <param name="written">The call, as its client has written it.</param>
    /// <param name="sends">Whether it is enough that the call is in the log.</param>
    /// <param name="wait">How long the instance waits.</param>
    /// <param name="patience">How long its reply is waited for.</param>
    /// <param name="gone">Its caller waits no more.</param>
    public async Task<InstanceSaid> AskAsync(
        ReadOnlyMemory<byte> written, bool sends, TimeSpan wait, TimeSpan patience, CancellationToken gone)
    {
        PassedCall call;
        lock (_gate)
        {
            if (_isLeft)
            {
                return new InstanceSaid(null, _end ?? new StreamEnd(StreamEndKind.Over, TryOutcome.NotSent, "its stream is over"), false);
            }

            if (Volatile.Read(ref _unwritten) >= MostUnwritten)
            {
                Leave(); // What was written has not been taken for long: the next try looks for another one.
                return new InstanceSaid(null, null, false);
            }

            call = new PassedCall(++_last, written, sends, (uint)Math.Ceiling(wait.TotalMilliseconds));
            _waiting.Add(call.Id, call);
            Write(call);
        }

        try
        {
            return await WaitAsync(call, patience, gone);
        }
        catch (TimeoutException)
        {
            Leave(); // The process, or what is between, stands still: the next try looks for another one.
            return new InstanceSaid(null, null, !call.TryDrop()); // The instance may go on this moment, and what waits would leave.
        }
        finally
        {
            Forget(call);
        }
    }

    /// <summary>No other call goes on it. It ends when those that wait are answered.</summary>
    public void Leave()
    {
        lock (_gate)
        {
            _isLeft = true;
            CompleteIfDone();
        }
    }

    /// <summary>Ends it at once.</summary>
    public void Dispose()
    {
        Leave();
        lock (_gate)
        {
            if (_end is null)
            {
                _life.CancelAsync();
            }
        }
    }

    // A reply that is not read because the client takes none says nothing of the instance: patience begins when replies are read again.
    private async Task<InstanceSaid> WaitAsync(PassedCall call, TimeSpan patience, CancellationToken gone)
    {
        long began = _time.GetTimestamp();
        TimeSpan left = patience;
        while (true)
        {
            try
            {
                return await call.Said.WaitAsync(left, _time, gone);
            }
            catch (TimeoutException) when (LeftOf(patience, began) is { Ticks: > 0 } more)
            {
                left = more;
            }
        }
    }

    private TimeSpan LeftOf(TimeSpan patience, long began)
    {
        lock (_gate)
        {
            return _isHeldUp ? patience : patience - _time.GetElapsedTime(Math.Max(began, _readAgain));
        }
    }

    // The channel takes all, until the stream has ended or was left.
    private void Write(PassedCall call)
    {
        if (_leaving.Writer.TryWrite(call))
        {
            Interlocked.Increment(ref _unwritten);
        }
    }

    // The instance need not wait for what nobody waits for here.
    private void Forget(PassedCall call)
    {
        lock (_gate)
        {
            if (_waiting.Remove(call.Id))
            {
                call.TryDrop();
                if (call.MayHaveArrived)
                {
                    Write(PassedCall.NobodyWaitsFor(call.Id));
                }

                CompleteIfDone();
            }
        }
    }

    private void CompleteIfDone()
    {
        if (_isLeft && _waiting.Count == 0 && _leaving.Writer.TryComplete() && _end is null)
        {
            _life.CancelAfter(s_farewell); // An instance that stands still does not end it.
        }
    }

    private async Task WriteAsync(Stream stream)
    {
        var batch = new IngressBatchWriter();
        byte[] head = new byte[GrpcFrame.Head];
        await stream.FlushAsync(_stop); // The head leaves.
        while (await _leaving.Reader.WaitToReadAsync(_stop))
        {
            batch.Clear();
            while (batch.Written.Length < MostMessage && _leaving.Reader.TryRead(out PassedCall? call))
            {
                Interlocked.Decrement(ref _unwritten);
                call.WriteTo(batch);
            }

            if (!batch.Written.IsEmpty)
            {
                BinaryPrimitives.WriteUInt32BigEndian(head.AsSpan(1), (uint)batch.Written.Length);
                await stream.WriteAsync(head, _stop);
                await stream.WriteAsync(batch.Written, _stop);
                await stream.FlushAsync(_stop);
            }
        }
    }

    private async Task RunAsync(Func<HttpContent, CancellationToken, Task<HttpResponseMessage>> send)
    {
        await Task.Yield(); // Its maker goes on.
        StreamEnd end;
        using var content = new StreamedContent(WriteAsync);
        try
        {
            using HttpResponseMessage response = await send(content, _stop);
            await ReadAsync(PipeReader.Create(
                await response.Content.ReadAsStreamAsync(_stop), new StreamPipeReaderOptions(bufferSize: MostMessage)));
            end = StreamEnd.Of(response, _hasReplied);
        }
        catch (Exception error) when (error is not OutOfMemoryException) // Whatever it is: its calls must not wait for ever.
        {
            string reason = error is OperationCanceledException ? "it does not answer" : error.GetBaseException().Message;
            end = new StreamEnd(
                StreamEndKind.NotServed,
                content.Started ? TryOutcome.Broken : InstanceLink.IsOfEncryption(error) ? TryOutcome.BadEncryption : TryOutcome.NotSent,
                reason);
        }

        End(end);
    }

    private async Task ReadAsync(PipeReader body)
    {
        while (true)
        {
            ReadResult read = await body.ReadAsync(_stop);
            ReadOnlySequence<byte> rest = read.Buffer;
            while (TryTake(ref rest, out ReadOnlySequence<byte> message))
            {
                Tell(message.IsSingleSegment ? message.FirstSpan : message.ToArray());
                await WaitForRoomAsync();
            }

            if (read.IsCompleted)
            {
                await body.CompleteAsync();
                return;
            }

            body.AdvanceTo(rest.Start, rest.End);
        }
    }

    private async ValueTask WaitForRoomAsync()
    {
        Task room = _room.WaitAsync(_stop);
        if (room.IsCompletedSuccessfully)
        {
            return;
        }

        HoldUp(true);
        try
        {
            await room;
        }
        finally
        {
            HoldUp(false);
        }
    }

    private void HoldUp(bool isHeldUp)
    {
        lock (_gate)
        {
            (_isHeldUp, _readAgain) = (isHeldUp, _time.GetTimestamp());
        }
    }

    private static bool TryTake(ref ReadOnlySequence<byte> rest, out ReadOnlySequence<byte> message)
    {
        message = default;
        if (rest.Length < GrpcFrame.Head)
        {
            return false;
        }

        Span<byte> head = stackalloc byte[GrpcFrame.Head];
        rest.Slice(0, GrpcFrame.Head).CopyTo(head);
        uint size = GrpcFrame.SizeOf(head);
        if (rest.Length < GrpcFrame.Head + (long)size)
        {
            return false;
        }

        message = rest.Slice(GrpcFrame.Head, size);
        rest = rest.Slice(GrpcFrame.Head + (long)size);
        return true;
    }

    private void Tell(ReadOnlySpan<byte> message)
    {
        foreach (IngressStreamedReply reply in IngressStreamedReply.ReadBatch(message))
        {
            PassedCall? call;
            lock (_gate)
            {
                _hasReplied = true;
                if (_waiting.Remove(reply.Id, out call))
                {
                    CompleteIfDone();
                }
            }

            call?.Tell(reply);
        }
    }

    private void End(StreamEnd end)
    {
        PassedCall[] waiting;
        lock (_gate)
        {
            (_isLeft, _end) = (true, end);
            waiting = [.. _waiting.Values];
            _waiting.Clear();
            CompleteIfDone();
        }

        _life.Dispose();
        Array.ForEach(waiting, call => call.End(end));
    }
}
