using Ambrosia.CoordinatorHost.Options;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Somebody outside.</summary>
/// <param name="Name">The name that its token stands for. Keys are told apart by it.</param>
/// <param name="Methods">The methods that it may call of those that are offered.</param>
internal sealed record IngressCaller(string Name, IngressMethods Methods)
{
    /// <summary>Whether its token speaks for others, whom each request names (<see cref="SpokenCaller"/>).</summary>
    public bool IsGateway { get; init; }

    /// <summary>What comes before the path at which it may ask for its call; empty for nothing.</summary>
    public string Prefix { get; init; } = "";
}
