using System.Globalization;
using Shop.Effects;
using Shop.Immortals;
using Shop.Web;

namespace Shop.Demonstration;

/// <summary>Compares what five processes keep apart: the immortals' states, the provider's books and the letters.</summary>
internal static class Audit
{
    /// <summary>Each difference, as a sentence. None: nothing was lost and nothing happened twice.</summary>
    public static IEnumerable<string> Differences(Books books) =>
        [.. OfOrders(books), .. OfStock(books), .. OfMoney(books), .. OfLetters(books), .. OfReports(books)];

    private static IEnumerable<string> OfOrders(Books books)
    {
        int[] wanted = [.. books.Wanted.Order()], kept = [.. books.Orders.Select(static order => order.Number).Order()];
        if (!wanted.SequenceEqual(kept))
        {
            yield return $"orders {string.Join(' ', wanted)} were wanted, and {string.Join(' ', kept)} are in the books";
        }

        foreach (Order order in books.Orders.Where(static order => order.State is not (OrderState.Shipped or OrderState.Cancelled)))
        {
            yield return $"order {order.Number} has not ended: it is {order.State}";
        }
    }

    private static IEnumerable<string> OfStock(Books books)
    {
        foreach (Good good in Goods.All)
        {
            int shipped = Shipped(books).Count(order => order.Item == good.Item);
            var expected = new Shelf(good.Item, good.Count - shipped, 0, shipped);
            if (books.Shelves.SingleOrDefault(shelf => shelf.Item == good.Item) is var found && found != expected)
            {
                yield return $"of {good.Count} {good.Item} there should be {expected}, and there is {found}";
            }
        }
    }

    private static IEnumerable<string> OfMoney(Books books)
    {
        foreach (Order order in books.Orders)
        {
            decimal kept = books.Bills.Where(bill => bill.Order == order.Number).Sum(static bill => bill.Kept);
            decimal due = order.State == OrderState.Shipped ? order.Price : 0;
            if (kept != due)
            {
                yield return Text($"order {order.Number} is {order.State}: {due} should have been paid for it, and {kept} was");
            }
        }

        foreach (Bill bill in books.Bills.Where(bill => bill.State is BillState.Paying or BillState.Declining
            || books.Orders.All(order => order.Number != bill.Order)))
        {
            yield return $"nobody knows what becomes of the bill for order {bill.Order}: it is {bill.State}";
        }
    }

    private static IEnumerable<string> OfLetters(Books books)
    {
        foreach (Order order in books.Orders)
        {
            string about = $"Order {order.Number} ";
            string subject = about + (order.State == OrderState.Shipped ? "is on its way" : "is cancelled");
            Letter[] letters = [.. books.Letters.Where(letter => letter.Subject.StartsWith(about, StringComparison.Ordinal))];
            if (letters is not [var only] || only.Subject != subject || only.To != order.Customer)
            {
                yield return $"{order.Customer} should have one letter '{subject}', and there are {letters.Length} about this order: "
                    + string.Join(", ", letters.Select(static letter => $"'{letter.Subject}' to {letter.To}"));
            }
        }

        foreach (IGrouping<string, Letter> same in books.Letters.GroupBy(static letter => letter.Id))
        {
            if (same.Count() > 1 || !books.Attempts.Contains(same.Key))
            {
                int sent = books.Attempts.Count(id => id == same.Key);
                yield return $"letter {same.Key} is there {same.Count()} times, and was sent {sent} times";
            }
        }
    }

    private static IEnumerable<string> OfReports(Books books)
    {
        Order[] shipped = [.. Shipped(books)];
        (int, int, decimal) expected = (shipped.Length, books.Orders.Count - shipped.Length, shipped.Sum(static order => order.Price));
        (int, int, decimal) found = (books.Reports.Sum(static day => day.Shipped), books.Reports.Sum(static day => day.Cancelled),
            books.Reports.Sum(static day => day.Takings));
        if (found != expected)
        {
            yield return Text($"shipped, cancelled and takings are {expected}, and the reports say {found}");
        }

        DateTimeOffset[] nights = [.. books.Reports.Select(static day => day.Due).OfType<DateTimeOffset>()];
        int letters = books.Letters.Count(static letter => letter.Subject.StartsWith("Report", StringComparison.Ordinal));
        if (nights.Length != nights.Distinct().Count() || nights.Length > letters)
        {
            yield return $"{nights.Distinct().Count()} days were closed, {nights.Length} times, with {letters} letters";
        }
    }

    private static IEnumerable<Order> Shipped(Books books) => books.Orders.Where(static order => order.State == OrderState.Shipped);

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
