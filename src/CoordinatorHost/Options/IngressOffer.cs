namespace Ambrosia.CoordinatorHost.Options;

/// <summary>What is offered to callers from outside.</summary>
internal sealed class IngressOffer
{
    /// <summary>Which methods.</summary>
    public IngressMethods Methods { get; set; } = IngressMethods.Impulses;

    /// <summary>To pages of which other origins.</summary>
    public IngressOrigins Origins { get; set; } = IngressOrigins.None;
}
