using Ambrosia.CoordinatorHost.Options;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// Whose call a request is. A token that is marked as a gateway's speaks for the caller that the request names; no other one may name
/// anybody. Such a request is refused: if its names were ignored, all whom a gateway speaks for would share their keys, and so each other's
/// answers.
/// </summary>
internal static class SpokenCaller
{
    /// <summary>The caller; null with a reason if nobody is to be believed.</summary>
    /// <param name="shown">Whose token the request shows.</param>
    /// <param name="request">The request.</param>
    /// <param name="reason">Why there is none.</param>
    public static IngressCaller? Of(IngressCaller shown, HttpRequest request, out string reason)
    {
        bool names = request.Headers.ContainsKey(GatewayHeaders.Caller) || request.Headers.ContainsKey(GatewayHeaders.Methods);
        if (!names || !shown.IsGateway)
        {
            reason = names ? $"this token speaks for nobody else: {GatewayHeaders.Caller} is a gateway's header, and a gateway's line "
                + "in the file of tokens begins with the word gateway" : "";
            return names ? null : shown;
        }

        string[] named = [.. request.Headers[GatewayHeaders.Caller].OfType<string>()];
        string[] methods = [.. request.Headers[GatewayHeaders.Methods].OfType<string>()];
        IngressMethods? some = methods.Length == 0 ? IngressMethods.All : methods.Length == 1 ? IngressMethods.TryParse(methods[0]) : null;
        if (named.Length != 1 || !IngressTokens.IsName(named[0]) || some is null)
        {
            reason = $"{GatewayHeaders.Caller} names one caller, {GatewayHeaders.Methods} the methods that it may call";
            return null;
        }

        reason = "";
        return new IngressCaller(named[0], shown.Methods.And(some));
    }
}
