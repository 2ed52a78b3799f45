using Ambrosia.CoordinatorHost.Options;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Somebody outside.</summary>
/// <param name="Name">The name that its token stands for. Keys are told apart by it.</param>
/// <param name="Methods">The methods that it may call of those that are offered.</param>
internal sealed record IngressCaller(string Name, IngressMethods Methods);
