namespace Shop.Web;

/// <summary>A customer at the provider's till.</summary>
internal sealed record PayRequest(int Order, bool Declined = false);
