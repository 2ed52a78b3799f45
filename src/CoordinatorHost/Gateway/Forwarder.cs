using System.Diagnostics.Metrics;
using Ambrosia.Coordinator.Context;
using Ambrosia.CoordinatorHost.Ingress;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// Brings a call to its instance (outside-calls.md X22). It is sent again only if it may be, only to the same name and id, and only until
/// its caller's time is over. One of which no byte has left may always go on.
/// </summary>
/// <param name="routes">Where instances are.</param>
/// <param name="link">The way to them.</param>
/// <param name="time">Clock.</param>
/// <param name="random">A number from 0 to 1, so that calls that fail together do not come again together.</param>
/// <param name="logger">Receives what keeps calls from their instances: each call says it, so it keeps the rest back.</param>
internal sealed class Forwarder(RouteTable routes, IInstanceLink link, TimeProvider time, Func<double> random, ILogger logger)
{
    /// <summary>How long one try waits for an answer: a process that stands still is given up after it.</summary>
    public static readonly TimeSpan Slice = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan s_atOnce = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_least = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_firstPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_mostPause = TimeSpan.FromSeconds(1);
    private static readonly Meter s_meter = new("Ambrosia.Gateway");
    private static readonly Counter<long> s_tries =
        s_meter.CreateCounter<long>("ambrosia.gateway.tries", "", "Requests sent to instances, by what became of them.");

    /// <summary>The same on another way to instances.</summary>
    public Forwarder By(IInstanceLink way) => new(routes, way, time, random, logger);

    /// <summary>Sends a call until there is something to tell.</summary>
    /// <param name="call">The call.</param>
    /// <param name="gone">Its caller waits no more, or the gateway ends.</param>
    /// <exception cref="OperationCanceledException">Its caller waits no more.</exception>
    public async Task<Forwarded> SendAsync(ForwardedCall call, CancellationToken gone)
    {
        var tries = new CallTries(call, time);
        if (!InstanceName.IsValid(call.Instance))
        {
            return new Forwarded(null, tries.Absent()); // Before anything of it is kept.
        }

        do
        {
            if (await TryAsync(call, tries, gone) is { } told)
            {
                return told;
            }

            await PauseAsync(tries, gone);
        }
        while (tries.Left > TimeSpan.Zero);
        return new Forwarded(null, tries.TimeIsOver());
    }

    // What to tell; null if the call may be sent again.
    private async Task<Forwarded?> TryAsync(ForwardedCall call, CallTries tries, CancellationToken gone)
    {
        Route? route;
        try
        {
            route = await routes.FindAsync(call.Instance, tries.Failed, gone);
        }
        catch (RouteUnknownException error)
        {
            tries.CannotSay("nobody can say where it is"); // Where the catalog and hosts are is for the log alone.
            if (error.InnerException is InstanceRefusedException refused)
            {
                var none = new TryResult(refused.Outcome, null, refused.Message);
                LogTrust(call, tries, none);
                return tries.NoTrust(none) is { } problem ? new Forwarded(null, problem) : null;
            }

            CoordinatorLog.GatewayCannotLookUp(logger, call.Instance, error.Message);
            return null;
        }

        if ((route is null ? tries.Absent() : tries.RefusalOf(route)) is { } refusal)
        {
            return route is not null && tries.LooksAgain(route, "another instance has its name") ? null : new Forwarded(null, refusal);
        }

        if (route is null)
        {
            return null;
        }

        TimeSpan left = tries.Left > s_least ? tries.Left : s_least;
        // A query that is asked again begins anew: only a call's answer is kept.
        TimeSpan wait = call is { MayRepeat: true, IsQuery: false } && left > Slice ? Slice : left;
        TryResult result = await TryAtAsync(call, route, wait, gone);
        s_tries.Add(1, new KeyValuePair<string, object?>("outcome", result.Outcome.ToString()));
        LogTrust(call, tries, result);
        Forwarded? told = tries.Ended(route, result);
        if (result is { Outcome: TryOutcome.Pending } ? result.Reason == IngressErrors.NotKnownInTime.Id
            : told is not null && result.Outcome != TryOutcome.Answered)
        {
            routes.Doubt(call.Instance, route);
        }

        return told;
    }

    private void LogTrust(ForwardedCall call, CallTries tries, TryResult result)
    {
        if (tries.OfTrust(result) is { } problem)
        {
            CoordinatorLog.GatewayWithoutTrust(logger, problem.Code.Id, call.Instance, problem.Detail, problem.Code.Advice);
        }
    }

    // A caller that gives up may do so because the process it was sent to stands still.
    private async Task<TryResult> TryAtAsync(ForwardedCall call, Route route, TimeSpan wait, CancellationToken gone)
    {
        try
        {
            return await link.TryAsync(call, route, wait, gone);
        }
        catch (OperationCanceledException)
        {
            routes.Doubt(call.Instance, route);
            throw;
        }
    }

    // Longer each time. A call that has just waited long at an instance goes on waiting there.
    private async Task PauseAsync(CallTries tries, CancellationToken gone)
    {
        if (tries.LastWaited > s_atOnce)
        {
            return;
        }

        TimeSpan most = TimeSpan.FromTicks(Math.Min(s_mostPause.Ticks, s_firstPause.Ticks << Math.Min(tries.Count, 10)));
        TimeSpan pause = most * (0.5 + (0.5 * random()));
        await Task.Delay(pause < tries.Left ? pause : tries.Left > TimeSpan.Zero ? tries.Left : TimeSpan.Zero, time, gone);
    }
}
