using System.Security.Authentication;
using Ambrosia.Protocol.Ingress;
using Grpc.Core;

namespace Ambrosia.Client;

/// <summary>What the tries of one call have been told, and what follows from it.</summary>
internal sealed class CallTries(string method)
{
    private RpcException? _last;
    private string? _tried;
    private bool _mayHaveArrived;
    private int _refusals;

    /// <summary>The line of the call is forgotten, and no copy of the call can have run.</summary>
    public bool NeedsAnotherLine { get; private set; }

    /// <summary>The id of the instance that may have got the call; null if none may have, or nobody has said which.</summary>
    public string? InstanceId { get; private set; }

    /// <summary>A try goes, or has gone, to an instance. The first one that may have the call keeps it: no other one gets it.</summary>
    /// <param name="instanceId">Its id; null if nobody has said one.</param>
    public void Tries(string? instanceId) => _tried = instanceId;

    /// <summary>A try was told that the call is in the log.</summary>
    public void Accepted() => MayHaveArrived();

    /// <summary>
    /// The id that the next try may name (outside-calls.md X27): an immortal without a log takes no key without it, and what was sent under
    /// an earlier id may have run there. Null if there is none.
    /// </summary>
    /// <param name="error">How a try has failed.</param>
    /// <param name="named">The id that it has named; null for none.</param>
    public string? NameInstead(RpcException error, string? named) =>
        InstanceIdOf(error) is { } id && id != named && (InstanceId ?? id) == id && (named is null || !_mayHaveArrived) ? id : null;

    /// <summary>The id of the immortal that has refused; null if it is no matter of ids.</summary>
    public static string? InstanceIdOf(RpcException error) => CodeOf(error) is var code
        && (code == IngressErrors.KeyWithoutInstance.Id || code == IngressErrors.OtherInstance.Id)
        ? error.Trailers.GetValue(IngressService.InstanceIdHeader) : null;

    /// <summary>The code of a failure; empty if it was on the way.</summary>
    public static string CodeOf(RpcException error) => error.Trailers.GetValue(IngressService.CodeTrailer) ?? "";

    /// <summary>Whether it is what an immortal has to say of the call, and nothing of the way there or of the process.</summary>
    public static bool IsAnswer(RpcException error) => CodeOf(error) is { Length: > 0 } code && !IsOfTheProcess(code);

    /// <summary>Whether a code says that this process cannot say, or not now: another one may serve.</summary>
    public static bool IsOfTheProcess(string code) => code == IngressErrors.Unavailable.Id || code == IngressErrors.NotKnownInTime.Id;

    /// <summary>A try has failed; true if another address may do better, false if this one says "later".</summary>
    /// <param name="error">How it failed.</param>
    /// <param name="addresses">How many addresses there are.</param>
    /// <exception cref="CallRefusedException">No try will do better.</exception>
    public bool Failed(RpcException error, int addresses)
    {
        if (error.Status.DebugException?.GetBaseException() is AuthenticationException untrusted)
        {
            // Nothing was sent. Of several addresses one may have a certificate that is just being replaced.
            return ++_refusals < addresses ? true : throw new CallRefusedException(
                "", $"{method}: no address shows a certificate that is trusted, or none speaks TLS: {untrusted.Message} "
                    + "TrustedCaFile names authorities of your own.",
                isFinal: false, error);
        }

        string code = CodeOf(error);
        _last = error;
        if (error.Trailers.GetValue(IngressService.InstanceTrailer) is not null && ++_refusals < addresses)
        {
            return true; // Of several addresses one may be another immortal's.
        }

        if (code == IngressErrors.ShareFull.Id || code == IngressErrors.TooManyAtOnce.Id)
        {
            return false;
        }

        bool mayPass = code.Length == 0 ? IsOfTheWay(error.StatusCode) : IsOfTheProcess(code);
        if (!mayPass)
        {
            NeedsAnotherLine = code == IngressErrors.Forgotten.Id && !_mayHaveArrived;
            bool isFinal = error.Trailers.GetValue(IngressService.FinalTrailer) == "true";
            throw new CallRefusedException(code, $"{method}: {error.Status.Detail}", isFinal, error) { InstanceId = InstanceIdOf(error) };
        }

        _refusals = 0;
        MayHaveArrived();
        return true;
    }

    private void MayHaveArrived()
    {
        _mayHaveArrived = true;
        InstanceId ??= _tried;
    }

    /// <summary>Its caller waits no more.</summary>
    public OperationCanceledException Cancelled(CancellationToken stop) => _last is null ? new OperationCanceledException(stop)
        : new OperationCanceledException($"{method} was cancelled. Last of all: {_last.Status.Detail}", _last, stop);

    /// <summary>The time is over.</summary>
    /// <param name="instance">Name of the immortal.</param>
    /// <param name="deadline">How long that was.</param>
    /// <param name="isQuery">Whether it would have changed nothing.</param>
    public CallNotAnsweredException NotAnswered(string instance, TimeSpan deadline, bool isQuery) => new(
        $"{method} of {instance} was not answered within {deadline}.{(isQuery ? "" : " It may have run, and it may still run.")}"
            + (_last is null ? "" : $" Last of all: {DetailOf(_last)}"), _last);

    /// <summary>What a failure says, and what it may come from.</summary>
    public static string DetailOf(RpcException error) => error.Status.Detail + (IsNoHttp2(error.Status.DebugException)
        ? " HTTP/2 is not spoken there: an address that is encrypted begins with https." : "");

    private static bool IsNoHttp2(Exception? error) => error switch
    {
        HttpRequestException { HttpRequestError: HttpRequestError.InvalidResponse or HttpRequestError.HttpProtocolError
            or HttpRequestError.VersionNegotiationError } => true,
        HttpIOException { HttpRequestError: HttpRequestError.InvalidResponse or HttpRequestError.HttpProtocolError } => true,
        null => false,
        _ => IsNoHttp2(error.InnerException),
    };

    // Without a code: a connection that failed, or something between here and a coordinator.
    private static bool IsOfTheWay(StatusCode status) => status is StatusCode.Unavailable or StatusCode.Internal or StatusCode.Unknown
        or StatusCode.DeadlineExceeded or StatusCode.Aborted or StatusCode.Cancelled or StatusCode.ResourceExhausted;
}
