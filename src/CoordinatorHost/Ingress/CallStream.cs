using System.Buffers;
using System.Runtime.ExceptionServices;
using System.Threading.Channels;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// The calls of one client that come on one stream. Each takes the place of a request until its reply has been written, so that a stream
/// is no way around the limits. A client that does not read its replies is not read either.
/// </summary>
internal sealed class CallStream
{
    private const int MostMessage = 64 << 10; // Bytes of replies, unless one alone has more.

    // Bytes of calls, or what a body may have if that is more. What a client gathers for one message is less, whatever a body may have.
    private const int MostGathered = 128 << 10;

    private const int MostUnwritten = 1 << 20;

    private readonly HttpContext _context;
    private readonly string _caller;
    private readonly CallStreams _streams;
    private readonly Func<IngressStreamedCall, TimeSpan, CancellationToken, Task<StreamedAnswer>> _ask;
    private readonly Channel<Reply> _replies;
    private readonly CancellationTokenSource _ended;
    private readonly CancellationTokenSource _reading; // Over sooner: what was read is answered.
    private readonly object _gate = new();
    private readonly Dictionary<ulong, CancellationTokenSource> _waiting = [];
    private int _open = 1; // Calls whose reply is not handed over yet, and the reader.
    private Exception? _failure;

    /// <param name="context">The request.</param>
    /// <param name="caller">Whose it is.</param>
    /// <param name="streams">What all streams share.</param>
    /// <param name="ask">Makes one call.</param>
    public CallStream(
        HttpContext context, string caller, CallStreams streams,
        Func<IngressStreamedCall, TimeSpan, CancellationToken, Task<StreamedAnswer>> ask)
    {
        (_context, _caller, _streams, _ask) = (context, caller, streams, ask);
        _replies = Channel.CreateBounded<Reply>(new BoundedChannelOptions(streams.Limits.Streams.Replies) { SingleReader = true });
        _ended = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, streams.Closing);
        _reading = CancellationTokenSource.CreateLinkedTokenSource(_ended.Token);
    }

    /// <summary>Replies that its client has not taken yet.</summary>
    public ReplyRoom Room { get; } = new(MostUnwritten);

    /// <summary>Answers calls until there are no more, the stream's time is over, or the address closes.</summary>
    public async Task ServeAsync()
    {
        // Between two calls there may be seconds. So the stream has times of its own, and no rate.
        if (_context.Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
        {
            rate.MinDataRate = null;
        }

        StreamLimits limits = _streams.Limits.Streams;
        using var tooLate = new CancellationTokenSource(limits.Time + _streams.Limits.MostWait + limits.Idle, _streams.Time);
        Problem? problem;
        using (_ended.Token.UnsafeRegister(static stream => ((CallStream)stream!).CancelAll(), this))
        using (tooLate.Token.UnsafeRegister(static context => ((HttpContext)context!).Abort(), _context)) // It hardly takes its replies.
        {
            Task writing = WriteAsync();
            problem = await ReadAsync();
            HandedOver();
            await writing;
        }

        _reading.Dispose();
        _ended.Dispose();
        await EndAsync(problem);
    }

    /// <summary>Tells which instance has a name, and returns when that has left. It is cancelled if the stream fails first.</summary>
    public async Task TellAsync(IngressServing serving)
    {
        var written = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await _replies.Writer.WriteAsync(new Reply(0, default, null) { Serving = serving, Written = written }, _ended.Token);
        await written.Task;
    }

    // That a client is gone concerns nobody else.
    private Task EndAsync(Problem? problem)
    {
        if (_failure is not null)
        {
            if (_failure is not IOException && !_context.RequestAborted.IsCancellationRequested)
            {
                ExceptionDispatchInfo.Throw(_failure);
            }

            _context.Abort();
            return Task.CompletedTask;
        }

        if (problem is not null)
        {
            return GrpcAnswer.RefuseAsync(_context, problem);
        }

        GrpcAnswer.End(_context);
        return Task.CompletedTask;
    }

    private async Task<Problem?> ReadAsync()
    {
        using var late = new CancellationTokenSource(_streams.Limits.Streams.Time, _streams.Time);
        using CancellationTokenRegistration over =
            late.Token.UnsafeRegister(static reading => ((CancellationTokenSource)reading!).CancelAsync(), _reading);
        using CancellationTokenRegistration draining =
            _streams.Draining.UnsafeRegister(static stream => ((CallStream)stream!).EndIfDrained(), this);
        CancellationToken stop = _reading.Token;
        try
        {
            var messages = new GrpcMessages(_context.Request, Math.Max(_streams.Limits.Body, MostGathered), MostGathered);
            while (await NextAsync(messages) is { } message)
            {
                for (int offset = 0; IngressStreamedCall.ReadNext(message, ref offset, _streams.PassesOn) is { } call;)
                {
                    await BeginAsync(call, stop);
                }
            }
        }
        catch (ProblemException refused)
        {
            return refused.Problem;
        }
        catch (ProtocolException error)
        {
            return new Problem(
                StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, $"the message is no CallBatch: {error.Message}");
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested && !_context.RequestAborted.IsCancellationRequested)
        {
            // Its time is over, or the address closes. Nothing that was read is lost.
        }
        catch (Exception error)
        {
            Fail(error);
        }

        return null;
    }

    // Null at the end, and when nothing has happened for a while.
    private async Task<byte[]?> NextAsync(GrpcMessages messages)
    {
        Task<byte[]?> next = messages.NextAsync(_reading.Token);
        while (true)
        {
            try
            {
                return await next.WaitAsync(_streams.Limits.Streams.Idle, _streams.Time);
            }
            catch (TimeoutException) when (IsIdle())
            {
                await _reading.CancelAsync();
            }
            catch (TimeoutException)
            {
            }
        }
    }

    private bool IsIdle()
    {
        lock (_gate)
        {
            return _waiting.Count == 0;
        }
    }

    // Who says that the address drains may come before the last answer, or after it.
    private void EndIfDrained()
    {
        if (_streams.Draining.IsCancellationRequested && IsIdle())
        {
            _reading.CancelAsync();
        }
    }

    private async ValueTask BeginAsync(IngressStreamedCall call, CancellationToken stop)
    {
        if (call.Call is null)
        {
            Forget(call.Id);
            return;
        }

        if (call.Size > _streams.Limits.Body)
        {
            await RefuseAsync(
                call.Id, new Problem(
                    StatusCodes.Status413PayloadTooLarge, IngressErrors.TooLarge, $"a call has at most {_streams.Limits.Body} bytes"),
                stop);
            return;
        }

        if (!_streams.Open.TryBegin(_caller, call.Size))
        {
            await RefuseAsync(call.Id, OpenRequests.Full, stop);
            return;
        }

        var gone = new CancellationTokenSource();
        lock (_gate)
        {
            if (!_waiting.TryAdd(call.Id, gone))
            {
                _streams.Open.End(_caller, call.Size);
                gone.Dispose();
                throw IngressCalls.NotUnderstood($"two calls with id {call.Id} are under way");
            }

            if (_ended.IsCancellationRequested)
            {
                gone.CancelAsync(); // Who cancels all may have been here before.
            }
        }

        Interlocked.Increment(ref _open);
        _ = AnswerAsync(call, gone);
    }

    private async Task AnswerAsync(IngressStreamedCall call, CancellationTokenSource gone)
    {
        StreamedAnswer? answer = null;
        try
        {
            answer = await _ask(call, WaitOf(call), gone.Token);
        }
        catch (ProblemException refused)
        {
            answer = StreamedAnswer.Of(refused.Problem);
        }
        catch (OperationCanceledException) when (gone.IsCancellationRequested || _ended.IsCancellationRequested)
        {
            answer = StreamedAnswer.Of(Problem.Of(OutsideReplyKind.Unavailable));
        }
        catch (Exception error)
        {
            Fail(error);
        }

        bool isForgotten;
        lock (_gate)
        {
            isForgotten = gone.IsCancellationRequested;
            _waiting.Remove(call.Id);
        }

        gone.Dispose();
        if (answer is { } told && (!isForgotten || _streams.Closing.IsCancellationRequested))
        {
            Room.Add(told.Bytes);
            await _replies.Writer.WriteAsync(new Reply(call.Id, told, call.Size));
        }
        else
        {
            _streams.Open.End(_caller, call.Size);
        }

        EndIfDrained();
        HandedOver();
    }

    private TimeSpan WaitOf(IngressStreamedCall call)
    {
        TimeSpan wait = call.Wait == 0 ? _streams.Limits.Wait : TimeSpan.FromMilliseconds(call.Wait);
        return wait < _streams.Limits.LeastWait ? _streams.Limits.LeastWait
            : wait > _streams.Limits.MostWait ? _streams.Limits.MostWait : wait;
    }

    private ValueTask RefuseAsync(ulong id, Problem problem, CancellationToken stop) =>
        _replies.Writer.WriteAsync(new Reply(id, StreamedAnswer.Of(problem), null), stop);

    // Its caller waits no more. Under the lock, where nobody disposes of it.
    private void Forget(ulong id)
    {
        lock (_gate)
        {
            if (_waiting.TryGetValue(id, out CancellationTokenSource? gone))
            {
                gone.CancelAsync();
            }
        }
    }

    private void CancelAll()
    {
        lock (_gate)
        {
            foreach (CancellationTokenSource gone in _waiting.Values)
            {
                gone.CancelAsync();
            }
        }
    }

    private void HandedOver()
    {
        if (Interlocked.Decrement(ref _open) == 0)
        {
            _replies.Writer.Complete();
        }
    }

    private void Fail(Exception error)
    {
        Interlocked.CompareExchange(ref _failure, error, null);
        _ended.CancelAsync();
    }

    private async Task WriteAsync()
    {
        var batch = new IngressBatchWriter();
        var held = new List<int>();
        var told = new List<TaskCompletionSource>();
        int unwritten = 0;
        if (_streams.PassesOn)
        {
            await GreetAsync();
        }

        while (await _replies.Reader.WaitToReadAsync())
        {
            batch.Clear();
            try
            {
                while (batch.Written.Length < MostMessage && _replies.Reader.TryRead(out Reply reply))
                {
                    if (reply.Held is { } bytes)
                    {
                        held.Add(bytes);
                    }

                    unwritten += reply.Answer.Bytes;
                    told.AddRange(reply.Written is { } written ? [written] : []);
                    Add(reply, batch);
                }

                if (_failure is null)
                {
                    await GrpcAnswer.TellNextAsync(_context, output => output.Write(batch.Written.Span), _context.RequestAborted);
                }
            }
            catch (Exception error)
            {
                Fail(error);
            }

            held.ForEach(bytes => _streams.Open.End(_caller, bytes));
            held.Clear();
            told.ForEach(written => _ = _failure is null ? written.TrySetResult() : written.TrySetCanceled());
            told.Clear();
            Room.Remove(unwritten);
            unwritten = 0;
        }
    }

    // An empty message. Where an instance is looked for the first reply may take long, and a client takes silence for something on the way
    // that passes on nothing.
    private async Task GreetAsync()
    {
        try
        {
            await GrpcAnswer.TellNextAsync(_context, static _ => { }, _context.RequestAborted);
        }
        catch (Exception error)
        {
            Fail(error);
        }
    }

    private void Add(in Reply reply, IngressBatchWriter batch)
    {
        if (reply.Serving is { } serving)
        {
            batch.Add(serving);
            return;
        }

        if (reply.Answer.Problem is { } problem)
        {
            _streams.Refused(problem);
        }

        reply.Answer.WriteTo(batch, reply.Id);
    }

    /// <summary>What is told next.</summary>
    /// <param name="Id">That of the call.</param>
    /// <param name="Answer">What it is.</param>
    /// <param name="Held">Bytes that the call holds with its place among open requests; null if it has none.</param>
    private readonly record struct Reply(ulong Id, StreamedAnswer Answer, int? Held)
    {
        /// <summary>Instead of an answer: which instance has a name.</summary>
        public IngressServing? Serving { get; init; }

        /// <summary>Told when it has left; null if nobody waits for that.</summary>
        public TaskCompletionSource? Written { get; init; }
    }
}
