using System.Security.Cryptography;
using System.Text;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.Primitives.Errors;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Client.Tests;

/// <summary>Tokens that change while a client lives.</summary>
public sealed class ClientTokenTests : IAsyncLifetime, IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-client").FullName;
    private readonly ManualTime _time = new();
    private IngressUnderTest _ingress = null!;

    private string TokenFile => Path.Combine(_folder, "token");

    private IEnumerable<string> Callers => _ingress.Entrance.Admitted.Select(static call => call.Key!.Value.Caller);

    public async Task InitializeAsync()
    {
        string callers = Path.Combine(_folder, "callers");
        await File.WriteAllTextAsync(callers, $"alice {Hash("one")}\nbob {Hash("two")}\n");
        _ingress = await IngressUnderTest.StartAsync(tokens: IngressTokens.Load(callers, TimeProvider.System, NullLogger.Instance));
        _ingress.Told.Tell(ShopShapes.Text);
    }

    public async Task DisposeAsync() => await _ingress.DisposeAsync();

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_function_is_asked_for_the_token_of_each_try()
    {
        int asked = 0;
        using AmbrosiaClient client = Connect(options => options.GetToken = stop =>
        {
            if (Interlocked.Increment(ref asked) == 3)
            {
                _ingress.Entrance.Says = null;
            }

            return ValueTask.FromResult(asked < 3 ? "one" : "two");
        });
        _ingress.Entrance.Says = Coordinator.Outside.OutsideReplyKind.Unavailable;
        await client.Get<ShopClient>("shop").CloseAsync().WaitAsync(Patience.Time);
        Assert.Equal((3, "bob"), (asked, Callers.Single()));
    }

    [Fact]
    public async Task What_the_function_throws_ends_the_call()
    {
        var thrown = new TimeoutException("no token today");
        using AmbrosiaClient failing = Connect(options => options.GetToken = _ => throw thrown);
        Assert.Same(thrown, await Assert.ThrowsAsync<TimeoutException>(() =>
            failing.Get<ShopClient>("shop").CloseAsync().WaitAsync(Patience.Time)));
        using AmbrosiaClient cancelled =
            Connect(static options => options.GetToken = static _ => throw new OperationCanceledException("there"));
        var ended = await Assert.ThrowsAsync<OperationCanceledException>(() =>
            cancelled.Get<ShopClient>("shop").CloseAsync().WaitAsync(Patience.Time));
        Assert.Equal("there", ended.Message);
        using AmbrosiaClient broken = Connect(static options => options.GetToken = static _ => ValueTask.FromResult("one\n"));
        await Assert.ThrowsAsync<InvalidOperationException>(() => broken.Get<ShopClient>("shop").CloseAsync().WaitAsync(Patience.Time));
        Assert.Empty(Callers);
    }

    [Fact]
    public async Task A_function_that_takes_long_ends_with_the_call()
    {
        using AmbrosiaClient client = Connect(static options => options.GetToken = static async stop =>
        {
            await Task.Delay(Timeout.Infinite, stop);
            return "one";
        });
        using var stop = new CancellationTokenSource();
        Task calling = client.Get<ShopClient>("shop").CloseAsync(stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => calling.WaitAsync(Patience.Time));
    }

    [Fact]
    public async Task A_file_is_read_again_once_a_second_and_its_last_token_stays_while_it_has_none()
    {
        await File.WriteAllTextAsync(TokenFile, "one\n");
        using AmbrosiaClient client = Connect(options => options.TokenFile = TokenFile);
        ShopClient shop = client.Get<ShopClient>("shop");
        await shop.CloseAsync();
        await File.WriteAllTextAsync(TokenFile, "two\n");
        _time.Passed += TimeSpan.FromSeconds(0.9);
        await shop.CloseAsync();
        _time.Passed += TimeSpan.FromSeconds(0.1);
        await shop.CloseAsync();
        foreach (string text in new[] { "", "a\nb", "ä" })
        {
            await File.WriteAllTextAsync(TokenFile, text);
            _time.Passed += TimeSpan.FromSeconds(2);
            await shop.CloseAsync();
        }

        File.Delete(TokenFile);
        _time.Passed += TimeSpan.FromSeconds(2);
        await shop.CloseAsync();
        Assert.Equal(["alice", "alice", "bob", "bob", "bob", "bob", "bob"], Callers);
    }

    [Fact]
    public async Task A_token_that_is_refused_is_read_anew_before_the_call_is()
    {
        await File.WriteAllTextAsync(TokenFile, "former\n");
        using AmbrosiaClient client = Connect(options => options.TokenFile = TokenFile);
        await File.WriteAllTextAsync(TokenFile, "two\n");
        await client.Get<ShopClient>("shop").CloseAsync().WaitAsync(Patience.Time);
        Assert.Equal("bob", Assert.Single(Callers));
    }

    [Fact]
    public async Task A_refused_token_that_is_the_newest_refuses_the_call()
    {
        var answers = new Queue<string>(["former", "former", "former"]);
        using AmbrosiaClient client = Connect(options => options.GetToken = _ => ValueTask.FromResult(answers.Dequeue()));
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(
            () => client.Get<ShopClient>("shop").CloseAsync().WaitAsync(Patience.Time));
        Assert.Equal((IngressErrors.Unauthenticated.Id, 1), (refused.Code, answers.Count));
    }

    [Fact]
    public void What_is_no_token_is_refused_at_once()
    {
        Assert.Throws<ArgumentException>(() => Connect(static options => options.Token = "one\n")); // It would not be shown at all.
        Assert.Throws<ArgumentException>(() => Connect(static options => options.Token = ""));
        Assert.Contains(TokenFile, Assert.Throws<ArgumentException>(() => Connect(options => options.TokenFile = TokenFile)).Message,
            StringComparison.Ordinal);
        File.WriteAllText(TokenFile, "one");
        Assert.Throws<ArgumentException>(() => Connect(options => (options.Token, options.TokenFile) = ("one", TokenFile)));
        Assert.Throws<ArgumentException>(() =>
            Connect(options => (options.GetToken, options.TokenFile) = (_ => ValueTask.FromResult("one"), TokenFile)));
    }

    private AmbrosiaClient Connect(Action<AmbrosiaClientOptions> configure)
    {
        var options = new AmbrosiaClientOptions { Addresses = { _ingress.Address.ToString() } };
        configure(options);
        return new AmbrosiaClient(options, _time);
    }

    private static string Hash(string token) => Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(token)));
}
