using System.Runtime.CompilerServices;
using Ambrosia.Protocol.Ingress;
using Grpc.Core;

namespace Ambrosia.Client;

/// <summary>
/// Watches queries of one immortal: through broken connections, restarts and failovers, and never back to an older answer. One that is the
/// same as the one before is told once.
/// </summary>
/// <param name="instance">Name of the immortal.</param>
/// <param name="channel">The way to it.</param>
/// <param name="deadline">How long a watch that fails is begun again.</param>
/// <param name="outage">Told when nobody is reached.</param>
/// <param name="time">Clock.</param>
/// <param name="closing">The client is disposed.</param>
internal sealed class QueryWatcher(
    string instance, InstanceChannel channel, TimeSpan deadline, Outage outage, TimeProvider time, CancellationToken closing)
{
    /// <summary>Watches one.</summary>
    /// <param name="query">What is asked.</param>
    /// <param name="stop">Ends it.</param>
    /// <exception cref="CallRefusedException">
    /// It was refused, or has thrown; IC-7022: the instance was made anew, with other records.
    /// </exception>
    /// <exception cref="CallNotAnsweredException">There was no answer in time.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed meanwhile.</exception>
    public async IAsyncEnumerable<IngressQueryReply> WatchAsync(
        IngressQueryRequest query, [EnumeratorCancellation] CancellationToken stop)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(stop, closing);
        using var watch = new Watch(this, query, stop, either.Token);
        while (true)
        {
            yield return await watch.NextAsync().ConfigureAwait(false);
        }
    }

    private sealed class Watch(QueryWatcher owner, IngressQueryRequest query, CancellationToken stop, CancellationToken either)
        : IDisposable
    {
        private readonly CallTries _tries = new(query.Method);
        private WatchedStream? _stream;
        private IngressQueryReply? _last;
        private string? _instanceId; // Of the last reply: its record is one of that instance alone.
        private string? _token;
        private bool _isRenewed;
        private int _address;
        private int _failures;
        private long? _failing; // Since when there is no reply that must come.

        public async Task<IngressQueryReply> NextAsync()
        {
            try
            {
                while (true)
                {
                    if (await ReadAsync().ConfigureAwait(false) is { } reply)
                    {
                        bool differs = _last is null || !_last.Result.Span.SequenceEqual(reply.Result.Span);
                        _last = reply;
                        if (differs)
                        {
                            return reply;
                        }
                    }
                }
            }
            catch (Exception error) when (error is OperationCanceledException or ObjectDisposedException && either.IsCancellationRequested)
            {
                throw stop.IsCancellationRequested ? new OperationCanceledException(stop) : new ObjectDisposedException(
                    nameof(AmbrosiaClient), $"{query.Method} of {owner.Instance} was watched when its client was disposed.");
            }
        }

        public void Dispose() => Close();

        // The next reply; null if another stream must be begun for it.
        private async Task<IngressQueryReply?> ReadAsync()
        {
            try
            {
                _stream ??= await OpenAsync().ConfigureAwait(false);
                byte[]? bytes = await InTimeAsync(_stream.NextAsync).ConfigureAwait(false);
                if (bytes is null)
                {
                    Close(); // Its time is over: the next one begins at once.
                    return null;
                }

                (_failing, _failures, _isRenewed) = (null, 0, false);
                owner.Outage.Ended();
                _instanceId ??= _stream.InstanceId;
                return IngressQueryReply.Read(bytes);
            }
            catch (RpcException error)
            {
                Close();
                either.ThrowIfCancellationRequested();
                await FailedAsync(error).ConfigureAwait(false);
                return null;
            }
        }

        private async Task<WatchedStream> OpenAsync()
        {
            _address = owner.Channel.Serving;
            _failing ??= owner.Time.GetTimestamp();
            _token = await InTimeAsync(owner.Channel.TokenAsync).ConfigureAwait(false);
            IngressQueryRequest next = query with { AtLeast = _last?.Record ?? query.AtLeast };
            return owner.Channel.Watch(_address, IngressMethod.Watch, next, _token, _instanceId, either);
        }

        // A reply may be long in coming, but for the first one of a stream.
        private async Task<T> InTimeAsync<T>(Func<CancellationToken, Task<T>> ask)
        {
            if (_failing is not { } since || owner.Deadline == Timeout.InfiniteTimeSpan)
            {
                return await ask(either).ConfigureAwait(false);
            }

            TimeSpan left = owner.Deadline - owner.Time.GetElapsedTime(since);
            using var patience = new CancellationTokenSource(left > TimeSpan.Zero ? left : TimeSpan.Zero, owner.Time);
            using var late = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, either);
            try
            {
                return await ask(late.Token).WaitAsync(late.Token).ConfigureAwait(false);
            }
            catch (Exception error) when (
                error is RpcException or OperationCanceledException && patience.IsCancellationRequested && !either.IsCancellationRequested)
            {
                throw NotAnswered();
            }
        }

        private CallNotAnsweredException NotAnswered() => _tries.NotAnswered(owner.Instance, owner.Deadline, isQuery: true);

        private async Task FailedAsync(RpcException error)
        {
            _failing ??= owner.Time.GetTimestamp();
            if (error.StatusCode == StatusCode.Unauthenticated && !_isRenewed)
            {
                _isRenewed = await InTimeAsync(stop => owner.Channel.RenewAsync(_token, stop)).ConfigureAwait(false);
                if (_isRenewed)
                {
                    return;
                }
            }

            if (owner.Deadline != Timeout.InfiniteTimeSpan && owner.Time.GetElapsedTime(_failing.Value) > owner.Deadline)
            {
                throw NotAnswered();
            }

            if (_tries.Failed(error, owner.Channel.Count))
            {
                owner.Channel.Failed(_address);
            }
            else
            {
                _failures = Math.Max(_failures, owner.Channel.Count); // Another address would say the same.
            }

            if (_failures >= owner.Channel.Count)
            {
                owner.Outage.Failed(CallTries.DetailOf(error));
            }

            await Task.Delay(Backoff.After(_failures++, owner.Channel.Count), owner.Time, either).ConfigureAwait(false);
        }

        private void Close()
        {
            _stream?.Dispose();
            _stream = null;
        }
    }

    private string Instance => instance;

    private InstanceChannel Channel => channel;

    private TimeSpan Deadline => deadline;

    private Outage Outage => outage;

    private TimeProvider Time => time;
}
