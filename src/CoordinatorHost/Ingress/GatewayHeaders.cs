namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Headers between a gateway and an instance. From anybody but a gateway those that name a caller are refused.</summary>
internal static class GatewayHeaders
{
    /// <summary>The caller that a gateway speaks for.</summary>
    public const string Caller = "Ambrosia-Caller";

    /// <summary>The methods that this caller may call, as <c>--ingress-methods</c> has them.</summary>
    public const string Methods = "Ambrosia-Methods";

    /// <summary>
    /// The id of the instance that a request is for: another one of the same name refuses it. In the answer of a query, the id of the
    /// instance that gives it.
    /// </summary>
    public const string InstanceId = "Ambrosia-Instance-Id";

    /// <summary>
    /// Says that a gateway has sent this, so that addresses which are given away lead through it. It permits nothing.
    /// </summary>
    public const string Gateway = "Ambrosia-Gateway";

    /// <summary>The code of a problem, as it stands in its body.</summary>
    public const string Code = "Ambrosia-Code";
}
