using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;

namespace Ambrosia.Client.Tests;

/// <summary>Queries that a generated client watches: through whatever happens between, and never back.</summary>
public sealed class ClientWatchTests : IAsyncLifetime
{
    private static readonly IngressLimits s_quick = IngressLimits.Product with { WatchPause = TimeSpan.FromMilliseconds(5) };
    private readonly ChangingApp _app = new();
    private IngressUnderTest _ingress = null!;
    private AmbrosiaClient _client = null!;

    public async Task InitializeAsync()
    {
        _ingress = await ServeAsync(s_quick);
        _client = Client(_ingress);
        _app.Move(1, "1");
    }

    public async Task DisposeAsync()
    {
        _client.Dispose();
        await _ingress.DisposeAsync();
    }

    [Fact]
    public async Task It_tells_the_value_of_now_and_each_one_that_differs()
    {
        await using IAsyncEnumerator<decimal> prices = Watch(_client);
        Assert.Equal(1m, await NextAsync(prices));
        _app.Move(2, "2");
        Assert.Equal(2m, await NextAsync(prices));
    }

    [Fact] // The end of a stream is none of the watch, and a value that is the same is no news.
    public async Task It_goes_on_where_a_stream_has_ended()
    {
        await using IngressUnderTest brief = await ServeAsync(s_quick with { WatchTime = TimeSpan.FromMilliseconds(50) });
        using AmbrosiaClient client = Client(brief);
        await using IAsyncEnumerator<decimal> prices = Watch(client);
        Assert.Equal(1m, await NextAsync(prices));
        ValueTask<bool> next = prices.MoveNextAsync();
        await Task.Delay(300);
        Assert.False(next.IsCompleted);
        _app.Move(7, "3");
        Assert.True(await next.AsTask().WaitAsync(Patience.Time));
        Assert.Equal(3m, prices.Current);
    }

    [Fact] // The other process has executed less so far.
    public async Task It_goes_on_at_the_next_address_and_not_before_that_has_come_as_far()
    {
        _app.Move(5, "5");
        var behind = new ChangingApp();
        behind.Move(3, "3");
        await using IngressUnderTest other = await ServeAsync(s_quick);
        other.Asked.Answer = behind.AnswerAsync;
        IngressUnderTest first = await ServeAsync(s_quick);
        var options = new AmbrosiaClientOptions();
        options.Instances["shop"] = [first.Address.ToString(), other.Address.ToString()];
        using var client = new AmbrosiaClient(options);
        await using IAsyncEnumerator<decimal> prices = Watch(client);
        Assert.Equal(5m, await NextAsync(prices));
        await first.DisposeAsync();
        ValueTask<bool> next = prices.MoveNextAsync();
        await Task.Delay(300);
        Assert.False(next.IsCompleted);
        behind.Move(6, "6");
        Assert.True(await next.AsTask().WaitAsync(Patience.Time));
        Assert.Equal(6m, prices.Current);
    }

    [Fact] // Its records count from 1 again: to wait for the one that was seen would be to wait for ever.
    public async Task It_ends_when_another_instance_was_made_under_the_name()
    {
        _app.Move(5, "5");
        IngressUnderTest first = await ServeAsync(s_quick);
        await using IngressUnderTest anew = await ServeAsync(s_quick);
        anew.Entrance.InstanceId = new Guid("fedcba9876543210fedcba9876543210");
        var options = new AmbrosiaClientOptions();
        options.Instances["shop"] = [first.Address.ToString(), anew.Address.ToString()];
        using var client = new AmbrosiaClient(options);
        IAsyncEnumerator<decimal> prices = Watch(client);
        Assert.Equal(5m, await NextAsync(prices));
        await first.DisposeAsync();
        CallRefusedException ended = await Assert.ThrowsAsync<CallRefusedException>(() => NextAsync(prices));
        Assert.Equal("IC-7022", ended.Code);
        await prices.DisposeAsync();
        await using IAsyncEnumerator<decimal> begunAnew = Watch(client);
        Assert.Equal(5m, await NextAsync(begunAnew));
    }

    [Fact]
    public async Task What_is_refused_ends_it()
    {
        _ingress.Asked.Answer = static (_, _) => Task.FromResult(new AppAnswer(2, Protocol.QueryStatus.Failed, []));
        await using IAsyncEnumerator<decimal> prices = Watch(_client);
        Assert.Equal("IC-7011", (await Assert.ThrowsAsync<CallRefusedException>(() => NextAsync(prices))).Code);
    }

    [Fact]
    public async Task It_ends_with_its_token_its_deadline_or_its_client()
    {
        using var stop = new CancellationTokenSource();
        await using IAsyncEnumerator<decimal> stopped = Watch(_client, stop.Token);
        await NextAsync(stopped);
        Task<decimal> next = NextAsync(stopped);
        await stop.CancelAsync();
        Assert.Equal(stop.Token, (await Assert.ThrowsAnyAsync<OperationCanceledException>(() => next)).CancellationToken);

        AmbrosiaClient disposed = Client(_ingress);
        await using IAsyncEnumerator<decimal> waiting = Watch(disposed);
        await NextAsync(waiting);
        next = NextAsync(waiting);
        disposed.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => next);

        _app.Refuse(static () => new NotServingException("it recovers"));
        var options = new AmbrosiaClientOptions { Deadline = TimeSpan.FromMilliseconds(300) };
        options.Addresses.Add(_ingress.Address.ToString());
        using var hasty = new AmbrosiaClient(options);
        await using IAsyncEnumerator<decimal> late = Watch(hasty);
        await Assert.ThrowsAsync<CallNotAnsweredException>(() => NextAsync(late));

        options.GetToken = static _ => new ValueTask<string>(new TaskCompletionSource<string>().Task);
        using var unknown = new AmbrosiaClient(options);
        IAsyncEnumerator<decimal> nameless = Watch(unknown); // One that does not end cannot be disposed of.
        await Assert.ThrowsAsync<CallNotAnsweredException>(() => NextAsync(nameless));
    }

    private static IAsyncEnumerator<decimal> Watch(AmbrosiaClient client, CancellationToken stop = default) =>
        client.Get<ShopClient>("shop").PriceOfWatch("tea", 1, stop).GetAsyncEnumerator(CancellationToken.None);

    private static async Task<decimal> NextAsync(IAsyncEnumerator<decimal> values)
    {
        Assert.True(await values.MoveNextAsync().AsTask().WaitAsync(Patience.Time));
        return values.Current;
    }

    private async Task<IngressUnderTest> ServeAsync(IngressLimits limits)
    {
        IngressUnderTest ingress = await IngressUnderTest.StartAsync(limits);
        ingress.Told.Tell(ShopShapes.Text);
        ingress.Asked.Answer = _app.AnswerAsync;
        return ingress;
    }

    private static AmbrosiaClient Client(IngressUnderTest ingress)
    {
        var options = new AmbrosiaClientOptions();
        options.Addresses.Add(ingress.Address.ToString());
        return new AmbrosiaClient(options);
    }
}
