namespace Ambrosia.Protocol.Ingress;

/// <summary>Names of the gRPC service for calls from outside: those of <c>ambrosia/v1/ingress.proto</c>, and of its metadata.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class IngressService
{
    /// <summary>The service.</summary>
    public const string Name = "ambrosia.v1.Ingress";

    /// <summary>Waits for the answer.</summary>
    public const string Call = "Call";

    /// <summary>Waits until the call is in the log.</summary>
    public const string Send = "Send";

    /// <summary>Asks for the answer of a call that was made earlier.</summary>
    public const string GetCall = "GetCall";

    /// <summary>Asks a query, which changes nothing and is not in the log.</summary>
    public const string Query = "Query";

    /// <summary>Asks a query again after each record, and tells each answer that differs.</summary>
    public const string Watch = "Watch";

    /// <summary>Many calls on one stream.</summary>
    public const string Calls = "Calls";

    /// <summary>Completes an awakeable. No token is asked for: its id is the permission.</summary>
    public const string CompleteAwakeable = "CompleteAwakeable";

    private static readonly HashSet<string> s_methods = [Call, Send, GetCall, Query, Watch, CompleteAwakeable];

    /// <summary>Whether the service has a method that takes one message, which says which instance it is for.</summary>
    public static bool Has(string? method) => method is not null && s_methods.Contains(method);

    /// <summary>The trailer that has the code of a refusal, such as <c>IC-7003</c>.</summary>
    public const string CodeTrailer = "ambrosia-code";

    /// <summary>The trailer that says whether each repeat is told the same: <c>true</c> or <c>false</c>.</summary>
    public const string FinalTrailer = "ambrosia-final";

    /// <summary>The trailer of a request for another instance: the name of the one that is served there.</summary>
    public const string InstanceTrailer = "ambrosia-instance";

    /// <summary>
    /// The header of a query's answer, and of a refusal for the id, that has the id of the instance. In a request: another instance of that
    /// name refuses it.
    /// </summary>
    public const string InstanceIdHeader = "ambrosia-instance-id";

    /// <summary>The domain of a refusal's <c>google.rpc.ErrorInfo</c>.</summary>
    public const string ErrorDomain = "ambrosia";
}
