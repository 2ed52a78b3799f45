namespace Shop.Web;

/// <summary>What the shop wants back for its customer, under an id that does not change when it is asked again.</summary>
internal sealed record RefundRequest(int Order, decimal Amount, string Id);
