using System.Threading.Channels;
using Ambrosia.Protocol.Ingress;
using Grpc.Core;

namespace Ambrosia.Client;

/// <summary>
/// Calls on one stream of gRPC: what many callers say at the same time becomes one message, and a call costs no request of HTTP. When the
/// stream ends, each call that has no reply ends as if it had been alone, and its caller sends it again. Used by several threads at once.
/// </summary>
internal sealed class CallStream : IDisposable
{
    private const int MostMessage = 64 << 10; // Bytes of calls, unless one alone has more.
    private static readonly TimeSpan s_use = TimeSpan.FromMinutes(4); // A server ends it after five.
    private static readonly TimeSpan s_silence = TimeSpan.FromSeconds(5);
    private readonly AsyncDuplexStreamingCall<IngressBatchWriter, byte[]> _stream;
    private readonly Channel<StreamedCall> _leaving =
        Channel.CreateUnbounded<StreamedCall>(new UnboundedChannelOptions { SingleReader = true });

    private readonly object _gate = new();
    private readonly Dictionary<ulong, StreamedCall> _waiting = [];
    private readonly string? _token;
    private readonly TimeProvider _time;
    private readonly long _opened;
    private ulong _last;
    private bool _isLeft;
    private bool _hasReplied;
    private bool _hasEnded;
    private string? _instanceId;
    private RpcException? _failure;

    /// <summary>Uses one that has just been opened.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="token">The token that it has shown.</param>
    /// <param name="time">Clock.</param>
    public CallStream(AsyncDuplexStreamingCall<IngressBatchWriter, byte[]> stream, string? token, TimeProvider time)
    {
        (_stream, _token, _time, _opened) = (stream, token, time, time.GetTimestamp());
        _ = WriteAsync();
        _ = ReadAsync();
    }

    /// <summary>
    /// Whether nothing at all has come back for a while: something on the way may take a stream, and pass on nothing before its end.
    /// </summary>
    public bool IsSilent
    {
        get
        {
            lock (_gate)
            {
                return !_hasReplied && _time.GetElapsedTime(_opened) > s_silence;
            }
        }
    }

    /// <summary>
    /// The id of the instance to which calls of this stream may have been sent, as a gateway says; null if nobody has said one.
    /// </summary>
    public string? InstanceId
    {
        get
        {
            lock (_gate)
            {
                return _instanceId;
            }
        }
    }

    /// <summary>Whether another call may go on it, which would show this token.</summary>
    public bool Serves(string? token)
    {
        lock (_gate)
        {
            return !_isLeft && token == _token && _time.GetElapsedTime(_opened) < s_use;
        }
    }

    /// <summary>Sends a call; null if it was not answered, because the stream takes no more or has come to its end in good order.</summary>
    /// <param name="call">The call, with its key.</param>
    /// <param name="sends">Whether it is enough that the call is in the log.</param>
    /// <param name="wait">How long the server waits.</param>
    /// <param name="patience">How long a reply is waited for here.</param>
    /// <param name="instanceId">The id of the instance that may have got it before; null if none may have.</param>
    /// <param name="stop">Ends the waiting.</param>
    /// <exception cref="RpcException">It was refused, or there was no reply in time.</exception>
    /// <exception cref="StreamFailedException">The stream has failed. The call may have arrived.</exception>
    public async Task<byte[]?> AskAsync(
        IngressCallRequest call, bool sends, TimeSpan wait, TimeSpan patience, string? instanceId, CancellationToken stop)
    {
        if (Begin(call, sends, wait, instanceId ?? "") is not { } begun)
        {
            return null;
        }

        try
        {
            return await begun.Reply.WaitAsync(patience, stop).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            throw new RpcException(new Status(StatusCode.DeadlineExceeded, "no reply in time"));
        }
        finally
        {
            Forget(begun);
        }
    }

    /// <summary>No other call goes on it; those that wait go on waiting.</summary>
    public void Leave()
    {
        lock (_gate)
        {
            _isLeft = true;
            CompleteIfDone();
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Leave();
        _stream.Dispose();
    }

    private StreamedCall? Begin(IngressCallRequest call, bool sends, TimeSpan wait, string instanceId)
    {
        lock (_gate)
        {
            if (_isLeft)
            {
                return _failure is null ? null : throw new StreamFailedException(_failure);
            }

            var begun = new StreamedCall(++_last, call, sends, (uint)wait.TotalMilliseconds, instanceId);
            _waiting.Add(begun.Id, begun);
            _leaving.Writer.TryWrite(begun); // It takes all, until the stream has ended or was left.
            return begun;
        }
    }

    // The server need not wait for what nobody waits for here, and what it has not been told need not be said.
    private void Forget(StreamedCall call)
    {
        lock (_gate)
        {
            if (_waiting.Remove(call.Id))
            {
                if (!call.TryDrop())
                {
                    _leaving.Writer.TryWrite(StreamedCall.NobodyWaitsFor(call.Id));
                }

                CompleteIfDone();
            }
        }
    }

    private void CompleteIfDone()
    {
        if (_isLeft && _waiting.Count == 0)
        {
            _leaving.Writer.TryComplete();
        }
    }

    private async Task WriteAsync()
    {
        var batch = new IngressBatchWriter();
        try
        {
            while (await _leaving.Reader.WaitToReadAsync().ConfigureAwait(false))
            {
                batch.Clear();
                while (batch.Written.Length < MostMessage && _leaving.Reader.TryRead(out StreamedCall? call))
                {
                    call.WriteTo(batch);
                }

                if (!batch.Written.IsEmpty)
                {
                    await _stream.RequestStream.WriteAsync(batch).ConfigureAwait(false);
                }
            }

            await _stream.RequestStream.CompleteAsync().ConfigureAwait(false);
        }
        catch (Exception error) when (error is RpcException or InvalidOperationException or OperationCanceledException)
        {
            // The stream has ended, and its replies say how.
        }
        catch (Exception error)
        {
            End(new RpcException(new Status(StatusCode.Internal, error.Message, error)));
            _stream.Dispose();
        }
    }

    private async Task ReadAsync()
    {
        try
        {
            while (await _stream.ResponseStream.MoveNext(CancellationToken.None).ConfigureAwait(false))
            {
                byte[] batch = _stream.ResponseStream.Current;
                Bind(IngressServing.ReadBatch(batch));
                foreach (IngressStreamedReply reply in IngressStreamedReply.ReadBatch(batch))
                {
                    Tell(reply);
                }
            }

            End(null);
        }
        catch (RpcException error)
        {
            End(error);
        }
        catch (Exception error)
        {
            End(new RpcException(new Status(StatusCode.Internal, error.Message, error)));
        }

        _stream.Dispose();
    }

    // If another instance has the name by now, what waits here may be at the former one. Calls that are new go on another stream.
    private void Bind(IReadOnlyList<IngressServing> serving)
    {
        lock (_gate)
        {
            _hasReplied = true; // Also by a message that says nothing.
            foreach (IngressServing told in serving)
            {
                _instanceId ??= told.InstanceId;
                _isLeft |= told.InstanceId != _instanceId;
            }

            CompleteIfDone();
        }
    }

    private void Tell(in IngressStreamedReply told)
    {
        StreamedCall? call;
        lock (_gate)
        {
            if (!_waiting.Remove(told.Id, out call))
            {
                return; // Its caller waits no more.
            }

            CompleteIfDone();
        }

        call.Tell(told);
    }

    private void End(RpcException? failure)
    {
        StreamedCall[] waiting;
        lock (_gate)
        {
            if (_hasEnded)
            {
                return;
            }

            (_hasEnded, _isLeft, _failure) = (true, true, failure);
            waiting = [.. _waiting.Values];
            _waiting.Clear();
            CompleteIfDone();
        }

        foreach (StreamedCall call in waiting)
        {
            call.End(failure);
        }
    }
}
