using Ambrosia.CoordinatorHost.Options;

namespace Ambrosia.CoordinatorHost.Jwt;

/// <summary>Who shows a token.</summary>
/// <param name="Name">Its name here: the same in each token of the same subject.</param>
/// <param name="Methods">What it may call.</param>
internal sealed record JwtCaller(string Name, IngressMethods Methods);
