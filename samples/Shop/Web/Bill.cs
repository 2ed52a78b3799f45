namespace Shop.Web;

/// <summary>A bill in the provider's books.</summary>
/// <param name="Order">Number of the order.</param>
/// <param name="Amount">What is to be paid.</param>
/// <param name="Url">Where the shop wants to know of it.</param>
/// <param name="State">How far it is.</param>
/// <param name="Refunds">The ids under which money was given back.</param>
internal sealed record Bill(int Order, decimal Amount, string Url, BillState State, IReadOnlyList<string> Refunds)
{
    /// <summary>What the shop has of it.</summary>
    public decimal Kept => State == BillState.Paid ? Amount * (1 - Refunds.Count) : 0;
}
