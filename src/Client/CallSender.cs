using Ambrosia.Protocol.Ingress;
using Ambrosia.Serialization;
using Grpc.Core;

namespace Ambrosia.Client;

/// <summary>
/// Sends calls to one immortal, and each again with its key until there is an answer: through broken connections, restarts and failovers.
/// </summary>
internal sealed class CallSender(string instance, InstanceChannel channel, CallerCodec codec, TimeSpan deadline, int concurrent,
    Outage outage, TimeProvider time)
    : IDisposable
{
    private static readonly TimeSpan s_try = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_atOnce = TimeSpan.FromSeconds(1);
    private readonly SemaphoreSlim _free = new(concurrent);
    private readonly CallLines _lines = new(time);
    private readonly CancellationTokenSource _closing = new();

    // The id of an immortal that keys must name, as it was told last (outside-calls.md X27). Null while none has asked for it, and after a
    // connection that failed: it may be another one by now.
    private volatile string? _instanceId;

    /// <summary>Name of the immortal.</summary>
    public string Instance => instance;

    /// <summary>Writes arguments and reads answers.</summary>
    public CallerCodec Codec => codec;

    /// <summary>Sends a call until it is answered.</summary>
    /// <param name="call">What is called.</param>
    /// <param name="key">A key of the user's; null for a number of this client.</param>
    /// <param name="sends">Whether it is enough that the call is in the log.</param>
    /// <param name="stop">Ends it. The call may have run.</param>
    /// <exception cref="CallRefusedException">It was refused.</exception>
    /// <exception cref="CallNotAnsweredException">There was no answer in time.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed meanwhile.</exception>
    public Task<IngressReply> SendAsync(IngressCallRequest call, CallKey? key, bool sends, CancellationToken stop) =>
        InTimeAsync(
            call.Method, isQuery: false, (call, key, sends), static (sender, what, tries, late) => what.key is { } key
                ? sender.RepeatAsync(what.call, () => Given(key), key, what.sends, tries, late)
                : sender.SendNumberedAsync(what.call, what.sends, tries, late),
            stop);

    /// <summary>Asks a query until it is answered. It changes nothing, so each try is a new one.</summary>
    /// <param name="query">What is asked.</param>
    /// <param name="stop">Ends it.</param>
    /// <exception cref="CallRefusedException">It was refused, or has thrown.</exception>
    /// <exception cref="CallNotAnsweredException">There was no answer in time.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed meanwhile.</exception>
    public Task<IngressQueryReply> QueryAsync(IngressQueryRequest query, CancellationToken stop) =>
        InTimeAsync(
            query.Method, isQuery: true, query, static (sender, what, tries, late) => sender.RepeatAsync(what, tries, late), stop);

    /// <summary>Watches a query. It takes no place among the calls that are under way.</summary>
    /// <param name="query">What is asked.</param>
    /// <param name="stop">Ends it.</param>
    public IAsyncEnumerable<IngressQueryReply> WatchAsync(IngressQueryRequest query, CancellationToken stop) =>
        new QueryWatcher(instance, channel, deadline, outage, time, _closing.Token).WatchAsync(query, stop);

    /// <inheritdoc/>
    public void Dispose()
    {
        _closing.Cancel(); // First: calls that wait for others of this process would wait for ever.
        channel.Dispose();
    }

    // Within the deadline, and beside so many others of this client.
    private async Task<TReply> InTimeAsync<TWhat, TReply>(
        string method, bool isQuery, TWhat what, Func<CallSender, TWhat, CallTries, CancellationToken, Task<TReply>> work,
        CancellationToken stop)
    {
        if (_closing.IsCancellationRequested)
        {
            throw new ObjectDisposedException(
                nameof(AmbrosiaClient), $"{method} of {instance} was not sent: its client was disposed before.");
        }

        using var patience = new CancellationTokenSource(deadline, time);
        using var late = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, stop, _closing.Token);
        var tries = new CallTries(method);
        try
        {
            await _free.WaitAsync(late.Token).ConfigureAwait(false);
            try
            {
                return await work(this, what, tries, late.Token).ConfigureAwait(false);
            }
            finally
            {
                _free.Release();
            }
        }
        catch (Exception error) when (error is OperationCanceledException or ObjectDisposedException && late.IsCancellationRequested)
        {
            // Not the inner ones, which the caller does not know.
            throw stop.IsCancellationRequested ? tries.Cancelled(stop)
                : _closing.IsCancellationRequested ? new ObjectDisposedException(
                    nameof(AmbrosiaClient),
                    $"{method} of {instance} was not answered before its client was disposed.{(isQuery ? "" : " It may have run.")}")
                : tries.NotAnswered(instance, deadline, isQuery);
        }
    }

    // That a line was forgotten can be told to the first try of a call: then no copy of it has run, and another line takes it. That one may
    // be forgotten, too, unless it is new.
    private async Task<IngressReply> SendNumberedAsync(IngressCallRequest call, bool sends, CallTries tries, CancellationToken stop)
    {
        while (true)
        {
            NumberedCall numbered = _lines.Begin();
            int size = 0;
            try
            {
                IngressReply reply = await RepeatAsync(call, () => numbered.Key, null, sends, tries, stop).ConfigureAwait(false);
                size = reply.Bytes.Length;
                return reply;
            }
            catch (CallRefusedException) when (tries.NeedsAnotherLine && !numbered.IsFirst)
            {
                _lines.Leave(numbered.Line);
            }
            catch (CallRefusedException refused) when (tries.NeedsAnotherLine)
            {
                _lines.Leave(numbered.Line);
                throw new CallRefusedException(
                    refused.Code, $"{call.Method} of {instance} has not run: its key was made just now, and is too old there. Is "
                    + $"the clock of "
                        + "this process right?", isFinal: false, refused);
            }
            finally
            {
                numbered.Line.End(numbered.Number, size);
            }
        }
    }

    // The id that a call names stays, once it may have arrived there. What a key of its user's was sent under before, nobody else knows.
    private async Task<IngressReply> RepeatAsync(
        IngressCallRequest call, Func<IngressKey> keyOf, CallKey? given, bool sends, CallTries tries, CancellationToken stop)
    {
        string? named = given is null ? _instanceId : given.InstanceId;
        for (int failures = 0; ; failures++)
        {
            int address = channel.Serving;
            long began = time.GetTimestamp();
            try
            {
                byte[] bytes = await channel.CallAsync(
                    address, call with { Key = keyOf() with { InstanceId = named } }, sends, s_try, tries, stop).ConfigureAwait(false);
                IngressReply reply = IngressReply.Read(bytes);
                outage.Ended();
                if (sends || reply.Kind != IngressReplyKind.Accepted)
                {
                    return reply;
                }

                tries.Accepted();
                if (time.GetElapsedTime(began) > s_atOnce)
                {
                    failures = -1; // It waits there, and has done so for a while: the next try waits on.
                    continue;
                }
            }
            catch (RpcException error)
            {
                stop.ThrowIfCancellationRequested();
                Learn(error);
                if (given is null && tries.NameInstead(error, named) is { } id)
                {
                    named = id;
                }
                else
                {
                    failures = After(error, address, tries, failures);
                }
            }

            await Task.Delay(Backoff.After(failures, channel.Count), time, stop).ConfigureAwait(false);
        }
    }

    private void Learn(RpcException error)
    {
        if (CallTries.InstanceIdOf(error) is { } id)
        {
            _instanceId = id;
        }
        else if (CallTries.CodeOf(error).Length == 0)
        {
            _instanceId = null;
        }
    }

    private async Task<IngressQueryReply> RepeatAsync(IngressQueryRequest query, CallTries tries, CancellationToken stop)
    {
        for (int failures = 0; ; failures++)
        {
            int address = channel.Serving;
            try
            {
                byte[] bytes = await channel.AskAsync(address, IngressMethod.Query, query, s_try, stop).ConfigureAwait(false);
                outage.Ended();
                return IngressQueryReply.Read(bytes);
            }
            catch (RpcException error)
            {
                stop.ThrowIfCancellationRequested();
                failures = After(error, address, tries, failures);
            }

            await Task.Delay(Backoff.After(failures, channel.Count), time, stop).ConfigureAwait(false);
        }
    }

    // How many failures there were, for the pause: another address is asked at once, and the same one again later.
    private int After(RpcException error, int address, CallTries tries, int failures)
    {
        if (CallTries.IsAnswer(error))
        {
            outage.Ended();
        }

        bool elsewhere = tries.Failed(error, channel.Count);
        int counted = elsewhere ? failures : Math.Max(failures, channel.Count); // Another address would say the same.
        if (elsewhere)
        {
            channel.Failed(address);
        }

        if (counted >= channel.Count)
        {
            outage.Failed(CallTries.DetailOf(error));
        }

        return counted;
    }

    private static IngressKey Given(CallKey key) => new(key.Name, (ulong)key.Made.ToUnixTimeMilliseconds(), 0, 0);
}
