using System.Net;
using System.Net.Http.Json;
using Shop.Immortals;

namespace Shop.Web;

/// <summary>
/// Stands for another company. It is no immortal, so it does by hand what such services do: it writes down what it is about to do, repeats
/// it until it knows the outcome, and drops what it is asked twice.
/// </summary>
internal sealed class PaymentProvider(HttpClient http, Bills bills)
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(200);

    /// <summary>The shop wants money.</summary>
    public void Ask(BillRequest request) => bills.Change(
        request.Order, known => known ?? new Bill(request.Order, request.Amount, request.Url, BillState.Open, []));

    /// <summary>The shop gives it back. Under an id that is known this does nothing.</summary>
    public void Refund(RefundRequest request) => bills.Change(request.Order, bill =>
        bill is null || bill.Refunds.Contains(request.Id) ? bill : bill with { Refunds = [.. bill.Refunds, request.Id] });

    /// <summary>The customer pays, or has a bad card. The first decision stays.</summary>
    /// <returns>What became of it; null if there is no such bill yet.</returns>
    public async Task<BillState?> PayAsync(PayRequest request, CancellationToken stop)
    {
        Bill? bill = bills.Change(request.Order, bill =>
            bill is { State: BillState.Open } ? bill with { State = request.Declined ? BillState.Declining : BillState.Paying } : bill);
        return bill is null ? null : await TellAsync(bill, stop);
    }

    /// <summary>Goes on with what a killed process had begun.</summary>
    public Task ResumeAsync(CancellationToken stop) => Task.WhenAll(bills.All().Select(bill => TellAsync(bill, stop)));

    // The shop says whether it takes it; only then money moves. The same may be said again: the answer is the same.
    private async Task<BillState> TellAsync(Bill bill, CancellationToken stop)
    {
        while (bill.State is BillState.Paying or BillState.Declining)
        {
            BillState? outcome = await TryAsync(bill, stop) switch
            {
                HttpStatusCode.OK => bill.State == BillState.Paying ? BillState.Paid : BillState.Declined,
                HttpStatusCode.Gone => BillState.TooLate,
                _ => null,
            };
            if (outcome is { } known)
            {
                return bills.Change(bill.Order, latest => latest! with { State = known })!.State;
            }

            await Task.Delay(s_pause, stop);
        }

        return bill.State;
    }

    private async Task<HttpStatusCode?> TryAsync(Bill bill, CancellationToken stop)
    {
        try
        {
            using HttpResponseMessage answer = bill.State == BillState.Paying
                ? await http.PostAsJsonAsync(bill.Url, new Payment(bill.Amount), stop)
                : await http.PostAsJsonAsync($"{bill.Url}/reject", new { reason = "the card was declined" }, stop);
            return answer.StatusCode;
        }
        catch (HttpRequestException)
        {
            return null; // Nobody is there, or was killed while it answered.
        }
    }
}
