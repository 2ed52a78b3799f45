using System.Net;
using Shop.Web;

namespace Ambrosia.Samples.Tests;

/// <summary>The payment provider of samples/Shop: an ordinary service that may be killed, too.</summary>
public sealed class ShopBillsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-bills-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_killed_provider_goes_on_with_its_first_decision()
    {
        var bills = new Bills(_folder);
        using var stop = new CancellationTokenSource();
        using (var dead = new HttpClient(new Shopkeeper(null, stop)))
        {
            var first = new PaymentProvider(dead, bills);
            Assert.Null(await first.PayAsync(new PayRequest(1), default));
            first.Ask(new BillRequest(1, 9, "http://orders.test/v1/awakeables/a"));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first.PayAsync(new PayRequest(1), stop.Token));
        }

        Assert.Equal(BillState.Paying, Assert.Single(bills.All()).State);
        using var alive = new HttpClient(new Shopkeeper(HttpStatusCode.OK, stop));
        var second = new PaymentProvider(alive, new Bills(_folder));
        Assert.Equal(BillState.Paid, await second.PayAsync(new PayRequest(1, Declined: true), default));
    }

    [Theory]
    [InlineData(HttpStatusCode.OK, false, "Paid", 9)]
    [InlineData(HttpStatusCode.OK, true, "Declined", 0)]
    [InlineData(HttpStatusCode.Gone, false, "TooLate", 0)]
    public async Task Money_moves_only_if_the_shop_takes_it_and_goes_back_once_for_each_id(
        HttpStatusCode answer, bool declined, string state, decimal kept)
    {
        var bills = new Bills(_folder);
        using var stop = new CancellationTokenSource();
        using var http = new HttpClient(new Shopkeeper(answer, stop));
        var provider = new PaymentProvider(http, bills);
        provider.Ask(new BillRequest(1, 9, "http://orders.test/v1/awakeables/a"));
        Assert.Equal(state, $"{await provider.PayAsync(new PayRequest(1, declined), default)}");
        Assert.Equal(kept, Assert.Single(bills.All()).Kept);
        provider.Refund(new RefundRequest(1, 9, "r"));
        provider.Refund(new RefundRequest(1, 9, "r"));
        provider.Ask(new BillRequest(1, 9, "http://orders.test/v1/awakeables/a"));
        Assert.Equal((state, 0), ($"{Assert.Single(bills.All()).State}", Assert.Single(bills.All()).Kept));
        Assert.Equal(["r"], Assert.Single(bills.All()).Refunds);
    }

    /// <summary>Answers, or is dead, and then the provider is killed as well.</summary>
    private sealed class Shopkeeper(HttpStatusCode? answer, CancellationTokenSource stop) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            if (answer is { } known)
            {
                return Task.FromResult(new HttpResponseMessage(known));
            }

            stop.Cancel();
            throw new HttpRequestException("nobody is there");
        }
    }
}
