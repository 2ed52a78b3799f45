using System.Security.Cryptography;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Shapes;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// The queries that are watched. One with the same arguments is asked once, however many watch it. A caller that fills its share leaves
/// that of others.
/// </summary>
/// <param name="ask">Asks the app.</param>
/// <param name="isCurrent">Whether a query is still what it was when its watch began; another app may have come.</param>
/// <param name="limits">Limits.</param>
/// <param name="time">Clock.</param>
internal sealed class QueryWatches(AskQuery ask, Func<MethodShape, bool> isCurrent, IngressLimits limits, TimeProvider time) : IDisposable
{
    private static readonly Problem s_full = new(
        StatusCodes.Status429TooManyRequests, IngressErrors.TooManyAtOnce,
        "this caller, or all of them, watch as many queries as they may, or by as many streams");

    private readonly object _gate = new();

    // By the method as the app has told it: one of a later version is another query.
    private readonly Dictionary<(MethodShape Method, string Arguments), QueryWatch> _watches = [];
    private readonly Dictionary<string, int> _streams = new(StringComparer.Ordinal); // Of each caller.
    private bool _closed;

    /// <summary>Told of each stream that begins (1) and ends (-1).</summary>
    public Action<int> Counted { get; init; } = static _ => { };

    /// <summary>Told of a watch that has ended for a reason that nobody expects.</summary>
    public Action<string, Exception> Failed { get; init; } = static (_, _) => { };

    // Until a query is asked again, so that all together ask no more often than they may.
    private TimeSpan Pause
    {
        get
        {
            lock (_gate)
            {
                long share = TimeSpan.TicksPerSecond * _watches.Count / limits.WatchAsks;
                return TimeSpan.FromTicks(Math.Max(limits.WatchPause.Ticks, share));
            }
        }
    }

    /// <summary>Begins to watch; disposing the place ends it.</summary>
    /// <exception cref="ProblemException">There is no room.</exception>
    public WatchPlace Enter(string caller, MethodShape method, byte[] arguments)
    {
        (MethodShape, string) what = (method, Convert.ToHexString(SHA256.HashData(arguments)));
        WatchPlace place = Enter(
            what, caller,
            () => new QueryWatch(ask, method, arguments, limits, time) { IsCurrent = () => isCurrent(method), Pause = () => Pause },
            out QueryWatch? begun);
        Counted(1);
        _ = begun is null ? Task.CompletedTask : RunAsync(begun, method.Name); // Outside of the lock: it asks at once.
        return place;
    }

    /// <summary>The address closes: all watches end.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _closed = true;
            foreach (QueryWatch watch in _watches.Values)
            {
                watch.Stop();
            }
        }
    }

    private WatchPlace Enter((MethodShape, string) what, string caller, Func<QueryWatch> create, out QueryWatch? begun)
    {
        begun = null;
        lock (_gate)
        {
            if (_closed)
            {
                throw new ProblemException(Problem.Of(OutsideReplyKind.Unavailable));
            }

            // Calls of this caller, and of others, have the other half of the requests that may be open.
            int streams = _streams.GetValueOrDefault(caller);
            if (streams >= limits.RequestsOfOne / 2 || _streams.Values.Sum() >= limits.Requests / 2)
            {
                throw new ProblemException(s_full);
            }

            if (!_watches.TryGetValue(what, out QueryWatch? watch) || watch.HasEnded)
            {
                if (_watches.Count >= limits.Watches || CountOf(caller) >= limits.WatchesOfOne)
                {
                    throw new ProblemException(s_full);
                }

                _watches[what] = watch = begun = create();
            }
            else if (!watch.Watchers.ContainsKey(caller) && CountOf(caller) >= limits.WatchesOfOne)
            {
                throw new ProblemException(s_full);
            }

            _streams[caller] = streams + 1;
            watch.Watchers[caller] = watch.Watchers.GetValueOrDefault(caller) + 1;
            return new WatchPlace(watch, () => Leave(what, watch, caller));
        }
    }

    private async Task RunAsync(QueryWatch watch, string name)
    {
        try
        {
            await watch.RunAsync();
        }
        catch (Exception error)
        {
            Failed(name, error);
        }
    }

    private int CountOf(string caller) => _watches.Values.Count(watch => watch.Watchers.ContainsKey(caller));

    private void Leave((MethodShape, string) what, QueryWatch watch, string caller)
    {
        Counted(-1);
        lock (_gate)
        {
            if (--_streams[caller] == 0)
            {
                _streams.Remove(caller);
            }

            if (--watch.Watchers[caller] == 0)
            {
                watch.Watchers.Remove(caller);
            }

            if (watch.Watchers.Count == 0)
            {
                watch.Stop();
                if (_watches.GetValueOrDefault(what) == watch)
                {
                    _watches.Remove(what);
                }
            }
        }
    }
}
