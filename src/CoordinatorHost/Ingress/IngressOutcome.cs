using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What a caller is told of its call.</summary>
/// <param name="Reply">The answer, or that the call is in the log; of no meaning beside a problem.</param>
/// <param name="Method">The method; null if it is not known.</param>
/// <param name="Problem">Why there is neither; null if there is one of them.</param>
internal readonly record struct IngressOutcome(OutsideReply Reply, MethodShape? Method, Problem? Problem)
{
    /// <summary>What the core says.</summary>
    public static IngressOutcome Of(in OutsideReply reply, MethodShape? method) => new(reply, method, reply.Kind switch
    {
        OutsideReplyKind.Answer or OutsideReplyKind.Accepted => null,
        _ => Problem.Of(reply.Kind),
    });

    /// <summary>A problem.</summary>
    public static IngressOutcome Of(Problem problem) => new(default, null, problem);
}
