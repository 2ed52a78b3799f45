using Ambrosia.Samples;

namespace Orders;

/// <summary>One order that succeeds, and one that is taken back while its process is killed; the books are closed every two seconds all the
/// while.</summary>
internal sealed class Demo(SampleRun run)
{
    private readonly string _payments = Path.Combine(run.Folder, "payments");

    public async Task<bool> RunAsync()
    {
        var warehouse = new Part(run, "warehouse", ["warehouse"]);
        var shop = new Part(run, "shop", ["shop", _payments]);
        await warehouse.StartAsync();
        await shop.StartAsync();
        run.Say(Terminal.Bold("> order tea"));
        run.Say($"  {await shop.AskAsync("tea")}");

        run.Say(Terminal.Bold("> order piano, which nobody ships"));
        Task<string> back = warehouse.Await("puts a piano back");
        await shop.SayAsync("piano", "order 2 is taken back");
        await back;
        await shop.KillAsync(); // In the middle of a compensation: refunded, not yet released.
        await shop.StartAsync();

        string report;
        do
        {
            await Task.Delay(500, run.Stopping);
            report = await shop.AskAsync(Desk.Report);
        }
        while (report.Contains("open", StringComparison.Ordinal) || Number(report, " times") < 3);
        string stock = await warehouse.AskAsync(Desk.Report);
        string[] moved = [.. (await File.ReadAllLinesAsync(_payments, run.Stopping)).Select(static line => line[..line.LastIndexOf(' ')])];
        run.Say($"  {report}");
        run.Say($"  stock: {stock}; payments: {string.Join(", ", moved)}");
        Require(report.StartsWith("tea shipped, piano taken back;", StringComparison.Ordinal), "the orders did not end as they should");
        Require(Number(report, " times") == Number(report, " of them"), "books were closed twice for one time");
        Require(stock == "9 tea, 10 piano", "the stock is not what it should be");
        Require(moved is ["charge 1 5", "charge 2 5", "refund 2 5"], "money was moved otherwise than once");
        run.Say(Terminal.Good("Taken back once, whatever was killed; each closing of the books ran once."));
        return true;
    }

    private static int Number(string report, string before)
    {
        string text = report[..report.IndexOf(before, StringComparison.Ordinal)];
        return int.Parse(text[(text.LastIndexOf(' ') + 1)..], System.Globalization.CultureInfo.InvariantCulture);
    }

    private static void Require(bool condition, string what)
    {
        if (!condition)
        {
            throw new SampleException(what);
        }
    }
}
