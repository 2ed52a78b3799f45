using Ambrosia.CoordinatorHost.Shapes;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// A query that is asked again after each record, for all who watch it with the same arguments (docs/internals/outside-calls.md#watching).
/// Who is slow misses answers between, and never the last one.
/// </summary>
internal sealed class QueryWatch : IDisposable
{
    private readonly AskQuery _ask;
    private readonly MethodShape _method;
    private readonly byte[] _arguments;
    private readonly IngressLimits _limits;
    private readonly TimeProvider _time;
    private readonly CancellationTokenSource _stop = new();
    private WatchedValue _now;
    private TaskCompletionSource _changed = NewSignal();

    /// <summary>Asks nothing yet.</summary>
    public QueryWatch(AskQuery ask, MethodShape method, byte[] arguments, IngressLimits limits, TimeProvider time)
    {
        (_ask, _method, _arguments, _limits, _time) = (ask, method, arguments, limits, time);
        _now = new WatchedValue(0, 0, 0, default, method);
    }

    /// <summary>Whether the query is still what it was; another app may have come.</summary>
    public required Func<bool> IsCurrent { get; init; }

    /// <summary>How long it is not asked after an answer.</summary>
    public required Func<TimeSpan> Pause { get; init; }

    /// <summary>How often each caller watches it; the owner's to change.</summary>
    public Dictionary<string, int> Watchers { get; } = new(StringComparer.Ordinal);

    /// <summary>Whether it has ended, so that another one must be begun.</summary>
    public bool HasEnded => Volatile.Read(ref _now).End is not null;

    /// <summary>Asks until stopped, or until the app does not answer any more.</summary>
    public async Task RunAsync()
    {
        long? away = null; // Since when.
        ulong next = 0;
        try
        {
            while (!_stop.IsCancellationRequested)
            {
                try
                {
                    (IngressOutcome outcome, ulong record) = await _ask(_method, _arguments, next, _limits.Wait, _stop.Token);
                    if (!IsCurrent())
                    {
                        return; // An app of another version may have answered. Those who come again are told what it means.
                    }

                    // What was asked for has been executed, though records without messages bear no answer's number.
                    Tell(outcome.Reply.Bytes, record, Math.Max(record, next));
                    (next, away) = (Math.Max(record, next) + 1, null);
                }
                catch (ProblemException quiet) when (quiet.Problem.Code == IngressErrors.NotKnownInTime && IsTold)
                {
                    continue; // Nothing has happened.
                }
                catch (ProblemException left) when (
                    left.Problem.Status == StatusCodes.Status503ServiceUnavailable && IsTold && IsPatient(ref away) && IsCurrent())
                {
                    // A new app may come to this process, or another process take its place. It may answer otherwise after the same record.
                    next = Volatile.Read(ref _now).Known;
                }

                await Task.Delay(Pause(), _time, _stop.Token);
            }
        }
        catch (ProblemException refused)
        {
            if (IsCurrent())
            {
                End(refused.Problem);
            }
        }
        catch (OperationCanceledException)
        {
            // Nobody watches it any more, or the address closes.
        }
        finally
        {
            if (!HasEnded)
            {
                End(Problem.Of(Coordinator.Outside.OutsideReplyKind.Unavailable));
            }
        }
    }

    /// <summary>The next answer that differs from one that was seen, and is true after a record at least.</summary>
    /// <param name="seen">Version of that one; 0 for none.</param>
    /// <param name="atLeast">The record.</param>
    /// <param name="stop">Waits no longer.</param>
    /// <exception cref="ProblemException">There will be none.</exception>
    public async ValueTask<WatchedValue> NextAsync(long seen, ulong atLeast, CancellationToken stop)
    {
        while (true)
        {
            Task changed = Volatile.Read(ref _changed).Task; // Before the value: one that comes between is seen at once.
            WatchedValue now = Volatile.Read(ref _now);
            if (now.End is { } end)
            {
                throw new ProblemException(end);
            }

            if (now.Version > seen && now.Known >= atLeast)
            {
                return now;
            }

            await changed.WaitAsync(stop);
        }
    }

    /// <summary>Ends it: nobody watches it any more, or the address closes.</summary>
    public void Stop() => _stop.Cancel();

    /// <inheritdoc/>
    public void Dispose() => _stop.Dispose();

    private bool IsTold => _now.Version > 0;

    private bool IsPatient(ref long? since) => _time.GetElapsedTime(since ??= _time.GetTimestamp()) < _limits.WatchPatience;

    private void Tell(ReadOnlyMemory<byte> result, ulong record, ulong known)
    {
        WatchedValue before = _now;
        bool differs = before.Version == 0 || !before.Result.Span.SequenceEqual(result.Span);
        Set(differs ? new WatchedValue(before.Version + 1, record, known, result, _method)
            : before with { Record = Math.Max(before.Record, record), Known = known });
    }

    private void End(Problem problem) => Set(_now with { End = problem });

    private void Set(WatchedValue value)
    {
        Volatile.Write(ref _now, value);
        Interlocked.Exchange(ref _changed, NewSignal()).SetResult();
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
