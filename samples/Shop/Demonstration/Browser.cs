using System.Collections.Concurrent;
using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using System.Text.Json.Serialization;
using Ambrosia.Samples;
using Shop.Immortals;
using Shop.Web;

namespace Shop.Demonstration;

/// <summary>What the page does in a browser: it sends a wish until there is an answer, the same each time.</summary>
internal sealed class Browser(string address, CancellationToken stopping) : IDisposable
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(100);
    private static readonly JsonSerializerOptions s_json = new(JsonSerializerDefaults.Web)
    {
        Converters = { new JsonStringEnumConverter() }, // A decimal comes as text, which the defaults for the web read.
    };

    private readonly HttpClient _http = new() { BaseAddress = new Uri(address) };
    private readonly ConcurrentBag<int> _wanted = [];
    private int _repeats;

    /// <summary>The numbers of all orders.</summary>
    public IReadOnlyList<int> Wanted => [.. _wanted];

    /// <summary>How often an order had to be sent again.</summary>
    public int Repeats => _repeats;

    /// <summary>Orders, and gives the number of the order.</summary>
    public async Task<int> OrderAsync(string customer, string item)
    {
        var wish = new OrderRequest(Guid.NewGuid().ToString(), DateTimeOffset.UtcNow, customer, item);
        for (; ; Interlocked.Increment(ref _repeats))
        {
            if (await TryAsync<int?>(() => _http.PostAsJsonAsync("orders", wish, stopping)) is { } number)
            {
                _wanted.Add(number);
                return number;
            }

            await Task.Delay(s_pause, stopping);
        }
    }

    /// <summary>Pays, or shows a bad card, as soon as there is a bill.</summary>
    /// <returns>What became of it; null if the order has ended without a bill.</returns>
    public async Task<BillState?> PayAsync(int order, bool declined = false)
    {
        while (true)
        {
            if (await TryAsync<BillState?>(() => _http.PostAsJsonAsync("pay", new PayRequest(order, declined), stopping)) is { } state)
            {
                return state;
            }

            Order[] orders = await LookAsync<Order[]>("orders", static _ => true);
            if (orders.Any(each => each.Number == order && each is { State: OrderState.Cancelled, PayUntil: null }))
            {
                return null;
            }

            await Task.Delay(s_pause, stopping);
        }
    }

    /// <summary>Orders and pays.</summary>
    public async Task<int> BuyAsync(string customer, string item, bool declined = false)
    {
        int order = await OrderAsync(customer, item);
        await PayAsync(order, declined);
        return order;
    }

    /// <summary>Looks at something until it is as expected, and gives it.</summary>
    public async Task<T> LookAsync<T>(string what, Func<T, bool> isAsExpected)
        where T : class
    {
        while (true)
        {
            if (await TryAsync<T>(() => _http.GetAsync(what, stopping)) is { } seen && isAsExpected(seen))
            {
                return seen;
            }

            await Task.Delay(s_pause, stopping);
        }
    }

    /// <summary>Looks at the orders until one of them has come so far.</summary>
    public Task<Order[]> AwaitAsync(int order, OrderState state) =>
        LookAsync<Order[]>("orders", orders => orders.Any(each => each.Number == order && each.State == state));

    public void Dispose() => _http.Dispose();

    // Nothing: the process that was asked is dead, or does not know it yet.
    private async Task<T?> TryAsync<T>(Func<Task<HttpResponseMessage>> ask)
    {
        try
        {
            using HttpResponseMessage answer = await ask();
            if (answer.StatusCode is HttpStatusCode.BadRequest)
            {
                throw new SampleException(await answer.Content.ReadAsStringAsync(stopping));
            }

            return answer.IsSuccessStatusCode ? await answer.Content.ReadFromJsonAsync<T>(s_json, stopping) : default;
        }
        catch (Exception cut) when (cut is HttpRequestException or IOException or JsonException)
        {
            return default;
        }
    }
}
