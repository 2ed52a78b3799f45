using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>The end of a stream of calls to an instance. It is no answer to any of them.</summary>
/// <param name="Kind">How it has ended.</param>
/// <param name="Outcome">What that is to a call that it has not answered.</param>
/// <param name="Reason">Why.</param>
internal sealed record StreamEnd(StreamEndKind Kind, TryOutcome Outcome, string Reason)
{
    private const int Unimplemented = 12;

    /// <summary>How the instance has ended it.</summary>
    /// <param name="response">What it has answered, to the end.</param>
    /// <param name="hasReplied">Whether it has answered a call before.</param>
    public static StreamEnd Of(HttpResponseMessage response, bool hasReplied)
    {
        string code = Find(response, IngressService.CodeTrailer);
        if (InstanceAnswer.OutcomeOf(code, response.StatusCode == HttpStatusCode.Unauthorized) is { } outcome)
        {
            return new StreamEnd(StreamEndKind.NotServed, outcome, code);
        }

        string said = Find(response, "grpc-status");
        if (!int.TryParse(said, NumberStyles.None, CultureInfo.InvariantCulture, out int status))
        {
            return response.StatusCode == HttpStatusCode.OK
                ? new StreamEnd(StreamEndKind.NotServed, TryOutcome.Broken, "its stream ended before its status")
                : new StreamEnd(StreamEndKind.Failed, TryOutcome.Broken, $"it does not speak gRPC: {(int)response.StatusCode}");
        }

        return status == 0 ? new StreamEnd(StreamEndKind.Over, TryOutcome.Broken, "its stream is over")
            : status == Unimplemented ? new StreamEnd(StreamEndKind.NoStreams, TryOutcome.NotSent, code)
            : !hasReplied && code == IngressErrors.TooManyAtOnce.Id ? new StreamEnd(StreamEndKind.NoRoom, TryOutcome.NotSent, code)
            : new StreamEnd(StreamEndKind.Failed, TryOutcome.Broken, $"its stream ended with {said} {code}");
    }

    private static string Find(HttpResponseMessage response, string name) =>
        Find(response.TrailingHeaders, name) ?? Find(response.Headers, name) ?? "";

    private static string? Find(HttpResponseHeaders headers, string name) =>
        headers.TryGetValues(name, out IEnumerable<string>? values) ? string.Join(',', values) : null;
}
