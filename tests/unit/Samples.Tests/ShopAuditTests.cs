using Shop.Demonstration;
using Shop.Effects;
using Shop.Immortals;
using Shop.Web;

namespace Ambrosia.Samples.Tests;

/// <summary>The audit at the end of samples/Shop finds whatever is lost, and whatever happened twice.</summary>
public sealed class ShopAuditTests
{
    private static readonly Books s_good = new()
    {
        Wanted = [2, 1],
        Orders = [new Order(1, "ann", "tea", 4.50m, OrderState.Shipped), new Order(2, "ben", "piano", 900, OrderState.Cancelled)],
        Shelves = [new Shelf("tea", 11, 0, 1), new Shelf("cup", 6), new Shelf("piano", 2)],
        Bills = [new Bill(1, 4.50m, "", BillState.Paid, []), new Bill(2, 900, "", BillState.Paid, ["r"])],
        Reports = [new Report(1, 0, 4.50m, DateTimeOffset.UnixEpoch), new Report(0, 1)],
        Letters = [new Letter("a", "ann", "Order 1 is on its way"), new Letter("b", "ben", "Order 2 is cancelled"),
            new Letter("c", "owner", "Report of yesterday")],
        Attempts = ["a", "a", "b", "c"],
    };

    public static TheoryData<string> Wrong => [.. Differences.Keys];

    private static Dictionary<string, Func<Books, Books>> Differences { get; } = new()
    {
        ["orders 1 2 were wanted, and 1 2 3"] = static books => books with
        {
            Orders = [.. books.Orders, new Order(3, "ann", "cup", 9, OrderState.Shipped)],
        },
        ["orders 1 2 3 were wanted, and 1 2"] = static books => books with { Wanted = [1, 2, 3] },
        ["orders 1 2 2 were wanted, and 1 2"] = static books => books with { Wanted = [1, 2, 2] },
        ["order 1 has not ended"] = static books => books with
        {
            Orders = [books.Orders[0] with { State = OrderState.Paid }, books.Orders[1]],
        },
        ["of 12 tea there should be"] = static books => books with
        {
            Shelves = [books.Shelves[0] with { Free = 10, Reserved = 1 }, .. books.Shelves.Skip(1)],
        },
        ["of 2 piano there should be"] = static books => books with { Shelves = [.. books.Shelves.Take(2)] },
        ["order 1 is Shipped: 4.50 should have been paid for it, and 0 was"] = static books => books with { Bills = [books.Bills[1]] },
        ["order 2 is Cancelled: 0 should have been paid for it, and 900"] = static books => books with
        {
            Bills = [books.Bills[0], books.Bills[1] with { Refunds = [] }],
        },
        ["order 2 is Cancelled: 0 should have been paid for it, and -900"] = static books => books with
        {
            Bills = [books.Bills[0], books.Bills[1] with { Refunds = ["r", "s"] }],
        },
        ["nobody knows what becomes of the bill for order 2: it is Paying"] = static books => books with
        {
            Bills = [books.Bills[0], books.Bills[1] with { State = BillState.Paying }],
        },
        ["nobody knows what becomes of the bill for order 7"] = static books => books with
        {
            Bills = [.. books.Bills, new Bill(7, 1, "", BillState.Paid, [])],
        },
        ["ann should have one letter 'Order 1 is on its way', and there are 2"] = static books => books with
        {
            Letters = [.. books.Letters, books.Letters[0] with { Id = "d" }],
            Attempts = [.. books.Attempts, "d"],
        },
        ["ben should have one letter 'Order 2 is cancelled', and there are 0"] = static books => books with
        {
            Letters = [books.Letters[0], books.Letters[2]],
        },
        ["letter c is there 2 times"] = static books => books with { Letters = [.. books.Letters, books.Letters[2]] },
        ["letter c is there 1 times, and was sent 0 times"] = static books => books with { Attempts = ["a", "b"] },
        ["shipped, cancelled and takings are (1, 1, 4.50)"] = static books => books with { Reports = [.. books.Reports, new Report(1)] },
        ["1 days were closed, 2 times"] = static books => books with
        {
            Reports = [.. books.Reports, new Report(Due: DateTimeOffset.UnixEpoch)],
        },
        ["1 days were closed, 1 times, with 0 letters"] = static books => books with { Letters = [.. books.Letters.Take(2)] },
    };

    [Fact]
    public void Good_books_have_no_difference() => Assert.Empty(Audit.Differences(s_good));

    [Theory]
    [MemberData(nameof(Wrong))]
    public void It_names_what_is_wrong(string expected) => Assert.Contains(
        Audit.Differences(Differences[expected](s_good)), difference => difference.StartsWith(expected, StringComparison.Ordinal));
}
