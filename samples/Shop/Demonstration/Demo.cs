using System.Globalization;
using Ambrosia.Samples;
using Shop.Effects;
using Shop.Immortals;
using Shop.Web;

namespace Shop.Demonstration;

/// <summary>Customers order, and everything is killed at the moments at which that hurts most.</summary>
internal sealed class Demo(SampleRun run)
{
    private readonly Stage _stage = new(run);

    public async Task<bool> RunAsync()
    {
        Environment.SetEnvironmentVariable("SHOP_PAYMENT_TIME", "00:00:05");
        Environment.SetEnvironmentVariable("SHOP_MAIL_TIME", "00:00:01");
        Environment.SetEnvironmentVariable("SHOP_REPORT_AT", "*/5 * * * * *");
        try
        {
            using var browser = new Browser(await _stage.StartAsync(), run.Stopping);
            return await PlayAsync(browser);
        }
        finally
        {
            await _stage.StopAsync();
        }
    }

    private async Task<bool> PlayAsync(Browser browser)
    {
        Title("Ann buys tea. Her letter is on its way when the process that sends it is killed.");
        int ann = await browser.OrderAsync("ann", "tea");
        OrderState annsEnd = EndOf(await browser.PayAsync(ann));
        await browser.LookAsync<Letter[]>("letters", static letters => letters.Any(static letter => !IsReport(letter)));
        await _stage.KillAsync("orders");
        await browser.AwaitAsync(ann, annsEnd);

        Title("Ben orders a cup, and the web front is killed before it answers. The browser sends the order again, with the same key.");
        Task<int> ordering = browser.OrderAsync("ben", "cup");
        await _stage.KillAsync("web");
        int ben = await ordering;
        Title("Ben pays while the immortal and its coordinator are dead.");
        await browser.AwaitAsync(ben, OrderState.AwaitsPayment);
        await _stage.KillAsync("orders", "orders coordinator");
        BillState? bens = await browser.PayAsync(ben);
        Say($"the provider says: {bens}");

        Title("Cem orders tea and does not pay.");
        int cem = await browser.OrderAsync("cem", "tea");
        await browser.AwaitAsync(cem, OrderState.Cancelled);
        Say($"too late Cem pays after all, and the provider says: {await browser.PayAsync(cem)}");

        Title("Dora buys a piano, and nobody carries it. The shop is killed while it gives back first her money, then the piano.");
        Task back = _stage.AwaitAsync("TakenBack");
        Task<int> buying = browser.BuyAsync("dora", "piano");
        await back;
        await _stage.KillAsync("orders", "warehouse");
        int dora = await buying;
        await browser.AwaitAsync(dora, OrderState.Cancelled);

        Title("Twelve more at once, some with bad cards, and more of them want a cup than there are cups. Everything is killed.");
        Task reserved = _stage.AwaitAsync("AwaitsPayment"), shipped = _stage.AwaitAsync("Shipped");
        Task<int[]> crowd = Task.WhenAll(Enumerable.Range(1, 12).Select(number =>
            browser.BuyAsync($"guest {number}", number % 3 == 0 ? "tea" : "cup", declined: number % 5 == 0)));
        await _stage.KillAsync("web");
        await reserved;
        await _stage.KillAsync("warehouse coordinator", "orders");
        await shipped;
        await _stage.KillAsync("orders coordinator", "warehouse");
        await crowd;

        Title("What is in the books?");
        Books books = await CloseAsync(browser);
        Require(books.Orders, (ann, annsEnd), (ben, EndOf(bens)), (cem, OrderState.Cancelled), (dora, OrderState.Cancelled));
        if (!IsGood(books))
        {
            return false;
        }

        run.Say(Terminal.Good(
            $"{_stage.Kills} kills, {browser.Repeats} orders sent again: each order ended once, and stock, money and letters add up."));
        return true;
    }

    // Where the machine was busy for all the time to pay, the provider was told so: then the money stays with the customer.
    private static OrderState EndOf(BillState? bill) => bill == BillState.Paid ? OrderState.Shipped : OrderState.Cancelled;

    private static void Require(IReadOnlyList<Order> orders, params (int Number, OrderState State)[] expected)
    {
        foreach ((int number, OrderState state) in expected)
        {
            if (orders.Single(order => order.Number == number).State != state)
            {
                throw new SampleException($"order {number} did not end as {state}");
            }
        }
    }

    private async Task<Books> CloseAsync(Browser browser)
    {
        Order[] orders = await browser.LookAsync<Order[]>("orders",
            static all => all.All(static order => order.State is OrderState.Shipped or OrderState.Cancelled));
        Shelf[] shelves = await browser.LookAsync<Shelf[]>("shelves", static _ => true);
        Report[] reports = await browser.LookAsync<Report[]>("reports", static days => days.Length > 2);
        await browser.LookAsync<Letter[]>("letters", letters => letters.Count(IsReport) >= reports.Length - 1
            && letters.Count(static letter => !IsReport(letter)) >= orders.Length);
        await _stage.StopAsync();
        return new Books
        {
            Wanted = browser.Wanted,
            Orders = orders,
            Shelves = shelves,
            Bills = new Bills(Path.Combine(run.Folder, "provider")).All(),
            Reports = reports,
            Letters = MailFolder.Read(Path.Combine(run.Folder, "mail")),
            Attempts = MailFolder.ReadAttempts(Path.Combine(run.Folder, "mail")),
        };
    }

    private bool IsGood(Books books)
    {
        foreach (Order order in books.Orders)
        {
            Say($"order {order.Number,2} of {order.Customer,-10} {order.Item,-6} {order.State,-9} {order.Note}");
        }

        Say($"{books.Letters.Count} letters, sent in {books.Attempts.Count} attempts; {books.Reports.Count - 1} days closed; takings "
            + books.Bills.Sum(static bill => bill.Kept).ToString(CultureInfo.InvariantCulture));
        string[] differences = [.. Audit.Differences(books)];
        foreach (string difference in differences)
        {
            run.Say(Terminal.Bad($"  {difference}"));
        }

        return differences.Length == 0;
    }

    private static bool IsReport(Letter letter) => letter.Subject.StartsWith("Report", StringComparison.Ordinal);

    private void Title(string text) => run.Say(Terminal.Bold($"> {text}"));

    private void Say(string text) => run.Say($"  {text}");
}
