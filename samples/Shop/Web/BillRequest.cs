namespace Shop.Web;

/// <summary>What the shop asks the provider for.</summary>
internal sealed record BillRequest(int Order, decimal Amount, string Url);
