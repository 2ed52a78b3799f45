using System.Collections.Concurrent;
using Ambrosia.Coordinator.Outside;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Client.Tests;

/// <summary>A client that reaches nobody says so once, and once that it is over.</summary>
public sealed class ClientLogTests : IAsyncLifetime
{
    private readonly Lines _lines = new();
    private IngressUnderTest _ingress = null!;

    public async Task InitializeAsync()
    {
        _ingress = await IngressUnderTest.StartAsync();
        _ingress.Told.Tell(ShopShapes.Text);
    }

    public async Task DisposeAsync() => await _ingress.DisposeAsync();

    [Fact]
    public async Task One_line_begins_an_outage_and_one_ends_it_however_many_calls_are_tried()
    {
        using AmbrosiaClient client = Connect();
        ShopClient shop = client.Get<ShopClient>("shop");
        await shop.CloseAsync().WaitAsync(Patience.Time);
        Assert.Empty(_lines.All);
        _ingress.Entrance.Says = OutsideReplyKind.Unavailable;
        Task[] calls = [.. Enumerable.Range(0, 20).Select(_ => shop.CloseAsync())];
        await UntilAsync(() => _ingress.Entrance.Asked > 100);
        string began = Assert.Single(_lines.All);
        Assert.StartsWith("Warning 3301 shop does not answer", began, StringComparison.Ordinal);
        Assert.Contains("IC-7007", began, StringComparison.Ordinal);
        _ingress.Entrance.Says = null;
        await Task.WhenAll(calls).WaitAsync(Patience.Time);
        Assert.Equal(2, _lines.All.Count);
        Assert.StartsWith("Information 3302 shop answers again after ", _lines.All[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_failure_that_another_try_mends_at_once_is_no_outage()
    {
        using AmbrosiaClient client = Connect();
        int asked = 0;
        _ingress.Entrance.SaysOf = _ => asked++ == 0 ? OutsideReplyKind.Unavailable : null;
        await client.Get<ShopClient>("shop").CloseAsync().WaitAsync(Patience.Time);
        Assert.Empty(_lines.All);
    }

    [Fact]
    public async Task Awakeables_are_told_by_their_host_and_not_by_their_URL()
    {
        using AmbrosiaClient client = Connect();
        _ingress.Awakeables.Refuses = OutsideReplyKind.Unavailable;
        string id = FakeAwakeables.Id().ToString();
        Task rejecting = client.RejectAsync($"{_ingress.Address}v1/awakeables/{id}");
        await UntilAsync(() => _lines.All.Count == 1);
        Assert.Contains($"127.0.0.1:{_ingress.Port} does not answer", _lines.All[0], StringComparison.Ordinal);
        Assert.DoesNotContain(id, _lines.All[0], StringComparison.Ordinal);
        _ingress.Awakeables.Refuses = null;
        await rejecting.WaitAsync(Patience.Time);
        Assert.Equal(2, _lines.All.Count);
    }

    [Fact]
    public async Task An_application_gives_its_client_its_logger()
    {
        await using ServiceProvider provider = new ServiceCollection()
            .AddLogging(logging => logging.AddProvider(new Provider(_lines)))
            .AddAmbrosiaClient(static options =>
            {
                options.Addresses.Add("http://127.0.0.1:1");
                options.Deadline = TimeSpan.FromSeconds(2);
            })
            .AddImmortalClient<ShopClient>("shop")
            .BuildServiceProvider();
        await Assert.ThrowsAsync<CallNotAnsweredException>(() => provider.GetRequiredService<ShopClient>().CloseAsync());
        Assert.StartsWith("Warning 3301 shop does not answer", Assert.Single(_lines.All), StringComparison.Ordinal);
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        for (int i = 0; !condition(); i++)
        {
            Assert.True(i < 3000);
            await Task.Delay(10);
        }
    }

    private AmbrosiaClient Connect()
    {
        var options = new AmbrosiaClientOptions { Logger = _lines };
        options.Addresses.Add(_ingress.Address.ToString());
        return new AmbrosiaClient(options);
    }

    private sealed class Provider(ILogger logger) : ILoggerProvider
    {
        public ILogger CreateLogger(string categoryName) => logger;

        public void Dispose()
        {
        }
    }

    private sealed class Lines : ILogger
    {
        private readonly ConcurrentQueue<string> _lines = new();

        public IReadOnlyList<string> All => [.. _lines];

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel level, EventId id, TState state, Exception? error, Func<TState, Exception?, string> text) =>
            _lines.Enqueue($"{level} {id.Id} {text(state, error)}");
    }
}
