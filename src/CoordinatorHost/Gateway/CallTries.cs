using Ambrosia.CoordinatorHost.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>What the tries of one call have come to, and what its caller may be told then.</summary>
internal sealed class CallTries(ForwardedCall call, TimeProvider time)
{
    private static readonly TimeSpan s_last = TimeSpan.FromMilliseconds(100);
    private readonly long _began = time.GetTimestamp();
    private long _tried = time.GetTimestamp();
    private string? _sentTo;
    private string _reason = "";

    /// <summary>How many have failed.</summary>
    public int Count { get; private set; }

    /// <summary>The route of the last one; null before the first one has failed.</summary>
    public Route? Failed { get; private set; }

    /// <summary>How long the last one took, if the instance has waited; else zero.</summary>
    public TimeSpan LastWaited { get; private set; }

    /// <summary>What is left of the caller's time.</summary>
    public TimeSpan Left => call.Wait - time.GetElapsedTime(_began);

    /// <summary>
    /// Whether to look once more before a refusal is told: what a route says may be older than this call, and another caller's look-up.
    /// True once, and for as long as the catalog cannot be asked.
    /// </summary>
    public bool LooksAgain(Route route, string reason)
    {
        // While the catalog cannot be asked, nobody knows whether what it said before still holds.
        if (Failed is not null && !route.IsRemembered)
        {
            return false;
        }

        Failed = route;
        CannotSay(reason);
        return true;
    }

    /// <summary>Nobody can say where the instance is: that may pass.</summary>
    public void CannotSay(string reason)
    {
        (_reason, LastWaited) = (reason, TimeSpan.Zero);
        Count++;
    }

    /// <summary>There is no such instance. What to tell; null if one may have got the call: its entry may come back.</summary>
    public Problem? Absent()
    {
        CannotSay("it is in the catalog no more");
        return _sentTo is null ? NoSuchInstance(call.Instance) : null;
    }

    /// <summary>Whether a call may go there: what an instance may have got never goes to another one. Null if it may.</summary>
    public Problem? RefusalOf(Route route)
    {
        _tried = time.GetTimestamp();
        if (_sentTo is null && call.InstanceId is { } meant && meant != route.InstanceId)
        {
            return Problem.MeantForAnother(call.Instance, route.InstanceId);
        }

        return _sentTo is null || _sentTo == route.InstanceId ? null : new Problem(
            StatusCodes.Status410Gone, IngressErrors.OtherInstance,
            $"{call.Instance} has been made anew since this call was sent to it: it has another id now. The former one may have run "
            + "the call, the new one has not got it"); // Without the new id, by which a client would send it to that one.
    }

    /// <summary>One has ended. What to tell; null if the call may be sent again.</summary>
    public Forwarded? Ended(Route route, TryResult result)
    {
        LastWaited = result.Outcome == TryOutcome.Pending ? time.GetElapsedTime(_tried) : TimeSpan.Zero;
        if (result.Outcome == TryOutcome.Answered)
        {
            return Said(result);
        }

        if (result.Outcome == TryOutcome.Pending && (!call.MayRepeat || Left <= s_last))
        {
            return Said(result);
        }

        result.Answer?.Dispose();
        if (NoTrust(result) is { } none)
        {
            return LooksAgain(route, result.Reason) ? null : new Forwarded(null, none);
        }

        if (result.Outcome is TryOutcome.Broken && !call.MayRepeat)
        {
            return new Forwarded(null, new Problem(
                StatusCodes.Status500InternalServerError, IngressErrors.OutcomeUnknown,
                "the connection to the instance ended, and the call has no key: it may have run", IsFinal: true));
        }

        Failed = result.Outcome == TryOutcome.Pending ? Failed : route;
        Count = result.Outcome == TryOutcome.Pending ? 0 : Count + 1;
        _reason = result.Outcome == TryOutcome.OtherInstance ? "another instance answers at its address"
            : result.Reason.Length > 0 ? result.Reason : _reason;
        if (!call.MayRepeat && result.Outcome is TryOutcome.Unavailable or TryOutcome.OtherInstance)
        {
            return new Forwarded(null, NotNow("the instance starts, drains, or has just moved"));
        }

        // "Unavailable" is said to a repeat as well, of which the first one is in the log. A query is in none.
        _sentTo ??= call.IsQuery || result.Outcome is TryOutcome.NotSent or TryOutcome.OtherInstance ? null : route.InstanceId;
        return null;
    }

    /// <summary>
    /// Whether one has ended because gateway and instance do not trust each other, which does not pass by itself. Null if not, or if an
    /// instance may have got the call: its outcome is not known then.
    /// </summary>
    public Problem? NoTrust(TryResult result) => _sentTo is not null ? null : OfTrust(result);

    /// <summary>What is missing between gateway and instance; null if nothing is.</summary>
    public Problem? OfTrust(TryResult result) => result.Outcome switch
    {
        TryOutcome.NotTrusted => new Problem(
            StatusCodes.Status502BadGateway, IngressErrors.GatewayNotTrusted, $"{call.Instance} does not let this gateway in"),
        TryOutcome.BadEncryption => new Problem(
            StatusCodes.Status502BadGateway, IngressErrors.InstanceNotTrusted,
            $"this gateway does not trust the encryption of {call.Instance}: {result.Reason}"),
        _ => null,
    };

    /// <summary>What to tell when the caller's time is over.</summary>
    public Problem TimeIsOver() => _sentTo is null ? NotNow($"it was not reached in time ({_reason})") : new Problem(
        StatusCodes.Status504GatewayTimeout, IngressErrors.NotKnownInTime,
        "the instance has not said yet whether its log has the call; a repeat with its key is safe");

    private static Forwarded Said(in TryResult result) => new(result.Answer, null) { Streamed = result.Streamed };

    private Problem NotNow(string reason) =>
        new(StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable, $"{call.Instance} takes no calls now: {reason}");

    private static Problem NoSuchInstance(string name) => new(
        StatusCodes.Status404NotFound, IngressErrors.NoSuchInstance,
        name.Length == 0 ? "the request does not say which instance is meant"
            : $"there is no instance {Shapes.JsonPath.Shown(name)} here that takes calls from outside");
}
