namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>A request is answered with a problem.</summary>
internal sealed class ProblemException(Problem problem) : Exception(problem.Detail)
{
    /// <summary>The problem.</summary>
    public Problem Problem => problem;
}
