using System.Globalization;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.Protocol;

namespace Ambrosia.Client.Tests;

/// <summary>Queries of a generated client: nothing of them is logged, so each try is a new one.</summary>
public sealed class ClientQueryTests : IAsyncLifetime
{
    private readonly List<AppQuery> _asked = [];
    private IngressUnderTest _ingress = null!;
    private AmbrosiaClient _client = null!;
    private ShopClient _shop = null!;

    public async Task InitializeAsync()
    {
        _ingress = await IngressUnderTest.StartAsync();
        _ingress.Told.Tell(ShopShapes.Text);
        _client = Client();
        _shop = _client.Get<ShopClient>("shop");
    }

    public async Task DisposeAsync()
    {
        _client.Dispose();
        await _ingress.DisposeAsync();
    }

    [Fact]
    public async Task Arguments_defaults_and_the_result_go_through_and_nothing_is_admitted()
    {
        AnswerWith(QueryStatus.Answered, "a531322e3530"); // The text 12.50.
        Assert.Equal(12.50m, await _shop.PriceOfQuery("tea"));
        Assert.Equal(12.50m, await _shop.PriceOfQuery("cup", 3, CancellationToken.None));
        Assert.Collection(
            _asked, static query => Assert.EndsWith("92a374656101", Hex(query.Rpc), StringComparison.Ordinal),
            static query => Assert.EndsWith("92a363757003", Hex(query.Rpc), StringComparison.Ordinal));
        Assert.Empty(_ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task What_a_query_throws_is_told_and_not_tried_again()
    {
        AnswerWith(QueryStatus.Failed, "");
        CallRefusedException thrown = await Assert.ThrowsAsync<CallRefusedException>(() => _shop.PriceOfQuery("tea"));
        Assert.Equal("IC-7011", thrown.Code);
        Assert.Single(_asked);
    }

    [Fact]
    public async Task What_is_not_served_now_is_asked_again_and_at_the_next_address()
    {
        int tries = 0;
        _ingress.Asked.Answer = (_, _) => ++tries < 3 ? throw new NotServingException("it recovers")
            : Task.FromResult(new AppAnswer(7, QueryStatus.Answered, Convert.FromHexString("a135")));
        Assert.Equal(5m, await _shop.PriceOfQuery("tea").WaitAsync(Patience.Time));
        Assert.Equal(3, tries);

        IngressUnderTest dead = await IngressUnderTest.StartAsync();
        Uri address = dead.Address;
        await dead.DisposeAsync();
        var options = new AmbrosiaClientOptions();
        options.Instances["shop"] = [address.ToString(), _ingress.Address.ToString()];
        using var client = new AmbrosiaClient(options);
        Assert.Equal(5m, await client.Get<ShopClient>("shop").PriceOfQuery("tea").WaitAsync(Patience.Time));
    }

    [Fact]
    public async Task It_ends_with_its_token_its_deadline_or_its_client()
    {
        _ingress.Asked.Answer = static async (_, stop) =>
        {
            await Task.Delay(Timeout.Infinite, stop);
            throw new InvalidOperationException("It ends with its token.");
        };
        using var stop = new CancellationTokenSource();
        Task<decimal> stopped = _shop.PriceOfQuery("tea", cancellationToken: stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => stopped);
        using AmbrosiaClient hasty = Client(TimeSpan.FromMilliseconds(100));
        CallNotAnsweredException late =
            await Assert.ThrowsAsync<CallNotAnsweredException>(() => hasty.Get<ShopClient>("shop").PriceOfQuery("tea"));
        Assert.DoesNotContain("may have run", late.Message, StringComparison.Ordinal);
        AmbrosiaClient disposed = Client();
        Task<decimal> waiting = disposed.Get<ShopClient>("shop").PriceOfQuery("tea");
        disposed.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting);
    }

    private AmbrosiaClient Client(TimeSpan? deadline = null)
    {
        var options = new AmbrosiaClientOptions { Deadline = deadline ?? Patience.Time };
        options.Instances["shop"] = [_ingress.Address.ToString()];
        return new AmbrosiaClient(options);
    }

    private void AnswerWith(QueryStatus status, string hex) => _ingress.Asked.Answer = (query, _) =>
    {
        _asked.Add(query);
        return Task.FromResult(new AppAnswer(1, status, Convert.FromHexString(hex)));
    };

    private static string Hex(ReadOnlySpan<byte> bytes) => Convert.ToHexString(bytes).ToLower(CultureInfo.InvariantCulture);
}
