namespace Ambrosia.CoordinatorHost.Options;

/// <summary>What is offered to callers from outside, and to which of them.</summary>
internal sealed class IngressOffer
{
    /// <summary>Which methods.</summary>
    public IngressMethods Methods { get; set; } = IngressMethods.Impulses;

    /// <summary>To those who have tokens of an issuer.</summary>
    public JwtOptions Jwt { get; set; } = JwtOptions.None;

    /// <summary>To pages of which other origins.</summary>
    public IngressOrigins Origins { get; set; } = IngressOrigins.None;
}
