using System.Net.Http.Json;
using Ambrosia;
using Shop.Web;

namespace Shop.Effects;

/// <summary>Speaks to the service over HTTP. If that is away, the effect is tried again.</summary>
internal sealed class PaymentService(HttpClient http) : IPayments
{
    public Task Ask(int order, decimal amount, string url, EffectContext effect) =>
        PostAsync("provider/bills", new BillRequest(order, amount, url), effect);

    public Task Refund(int order, decimal amount, EffectContext effect) =>
        PostAsync("provider/refunds", new RefundRequest(order, amount, effect.Id), effect);

    private async Task PostAsync<T>(string path, T body, EffectContext effect)
    {
        using HttpResponseMessage response = await http.PostAsJsonAsync(path, body, effect.Cancellation);
        response.EnsureSuccessStatusCode();
    }
}
