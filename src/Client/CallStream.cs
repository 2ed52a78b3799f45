using System.Threading.Channels;
using Ambrosia.Protocol;
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
    private readonly AsyncDuplexStreamingCall<IngressBatchWriter, byte[]> _stream;
    private readonly Channel<IngressStreamedCall> _leaving =
        Channel.CreateUnbounded<IngressStreamedCall>(new UnboundedChannelOptions { SingleReader = true });

    private readonly object _gate = new();
    private readonly Dictionary<ulong, TaskCompletionSource<byte[]>> _waiting = [];
    private readonly string? _token;
    private readonly TimeProvider _time;
    private readonly long _opened;
    private ulong _last;
    private RpcException? _failure;
    private bool _hasEnded;

    /// <summary>Opens it.</summary>
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
    /// Whether the server, or something before it, has no such streams, or no room for this one: calls go alone. None of this one has run.
    /// </summary>
    public bool IsRefused { get; private set; }

    /// <summary>Whether another call may go on it, which would show this token.</summary>
    public bool Serves(string? token)
    {
        lock (_gate)
        {
            return !_hasEnded && token == _token && _time.GetElapsedTime(_opened) < s_use;
        }
    }

    /// <summary>Sends a call; null if it was not answered, because the stream takes no more or has come to its end in good order.</summary>
    /// <param name="call">The call, with its key.</param>
    /// <param name="sends">Whether it is enough that the call is in the log.</param>
    /// <param name="wait">How long the server waits.</param>
    /// <param name="patience">How long a reply is waited for here.</param>
    /// <param name="stop">Ends the waiting.</param>
    /// <exception cref="RpcException">There is no reply, or a refusal.</exception>
    public async Task<byte[]?> AskAsync(IngressCallRequest call, bool sends, TimeSpan wait, TimeSpan patience, CancellationToken stop)
    {
        var reply = new TaskCompletionSource<byte[]>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (Begin(reply) is not { } id)
        {
            return null;
        }

        try
        {
            if (!_leaving.Writer.TryWrite(new IngressStreamedCall(id, call, sends, (uint)wait.TotalMilliseconds)))
            {
                return null;
            }

            return await reply.Task.WaitAsync(patience, stop).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            throw new RpcException(new Status(StatusCode.DeadlineExceeded, "no reply in time"));
        }
        catch (OperationCanceledException) when (reply.Task.IsCanceled)
        {
            return null;
        }
        finally
        {
            Forget(id);
        }
    }

    /// <summary>No other call goes on it; those that wait go on waiting.</summary>
    public void Leave() => _leaving.Writer.TryComplete();

    /// <inheritdoc/>
    public void Dispose()
    {
        Leave();
        _stream.Dispose();
    }

    private ulong? Begin(TaskCompletionSource<byte[]> reply)
    {
        lock (_gate)
        {
            if (_hasEnded)
            {
                return _failure is null ? null : throw Again(_failure);
            }

            _waiting.Add(++_last, reply);
            return _last;
        }
    }

    // The server need not wait for what nobody waits for here.
    private void Forget(ulong id)
    {
        lock (_gate)
        {
            if (!_waiting.Remove(id))
            {
                return;
            }
        }

        _leaving.Writer.TryWrite(new IngressStreamedCall(id, null, false, 0));
    }

    private async Task WriteAsync()
    {
        var batch = new IngressBatchWriter();
        try
        {
            while (await _leaving.Reader.WaitToReadAsync().ConfigureAwait(false))
            {
                batch.Clear();
                while (batch.Written.Length < MostMessage && _leaving.Reader.TryRead(out IngressStreamedCall? call))
                {
                    batch.Add(call);
                }

                await _stream.RequestStream.WriteAsync(batch).ConfigureAwait(false);
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
                foreach (IngressStreamedReply reply in IngressStreamedReply.ReadBatch(_stream.ResponseStream.Current))
                {
                    Complete(reply);
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

    private void Complete(in IngressStreamedReply told)
    {
        TaskCompletionSource<byte[]>? reply;
        lock (_gate)
        {
            if (!_waiting.Remove(told.Id, out reply))
            {
                return; // Its caller waits no more.
            }
        }

        if (told.Reply is { } bytes)
        {
            reply.SetResult(bytes);
        }
        else
        {
            reply.SetException(told.Refusal is { } refusal ? ErrorOf(refusal)
                : new RpcException(new Status(StatusCode.Internal, "a reply that says nothing")));
        }
    }

    private void End(RpcException? failure)
    {
        TaskCompletionSource<byte[]>[] waiting;
        lock (_gate)
        {
            if (_hasEnded)
            {
                return;
            }

            (_hasEnded, _failure) = (true, failure);
            IsRefused = failure?.StatusCode is StatusCode.Unimplemented or StatusCode.ResourceExhausted;
            waiting = [.. _waiting.Values];
            _waiting.Clear();
        }

        Leave();
        foreach (TaskCompletionSource<byte[]> reply in waiting)
        {
            if (failure is null)
            {
                reply.SetCanceled();
            }
            else
            {
                reply.SetException(Again(failure));
            }
        }
    }

    // Each caller throws its own.
    private static RpcException Again(RpcException failure) => new(failure.Status, failure.Trailers);

    private static RpcException ErrorOf(IngressRefusal refusal)
    {
        var trailers = new Metadata
        {
            { IngressService.CodeTrailer, refusal.Code },
            { IngressService.FinalTrailer, refusal.IsFinal ? "true" : "false" },
        };
        if (refusal.Instance.Length > 0)
        {
            trailers.Add(IngressService.InstanceTrailer, refusal.Instance);
        }

        return new RpcException(new Status((StatusCode)refusal.Status, refusal.Message), trailers);
    }
}
