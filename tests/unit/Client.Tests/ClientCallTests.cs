using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.Protocol;
using Ambrosia.Serialization;
using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.Client.Tests;

/// <summary>A generated client, and an address for calls with a table in memory: what is sent again, with which key, and what is
/// not.</summary>
public sealed class ClientCallTests : IAsyncLifetime
{
    private static readonly TimeSpan s_patience = Patience.Time;
    private static readonly OutsideReply s_nothing = new(OutsideReplyKind.Answer, (byte)RpcForm.Void);
    private IngressUnderTest _ingress = null!;
    private AmbrosiaClient _client = null!;
    private ShopClient _shop = null!;

    private List<OutsideSubmission> Admitted => _ingress.Entrance.Admitted;

    public async Task InitializeAsync()
    {
        _ingress = await StartAsync();
        _client = AmbrosiaClient.For(AddressOf(_ingress));
        _shop = _client.Get<ShopClient>("shop");
    }

    public async Task DisposeAsync()
    {
        _client.Dispose();
        await _ingress.DisposeAsync();
    }

    [Fact]
    public async Task Results_arguments_and_defaults_go_through()
    {
        _ingress.Entrance.Answer = static _ => Value("a5" + "31322e3530"); // The text 12.50.
        Assert.Equal(12.50m, await _shop.OrderAsync("tea"));
        Assert.Equal("92a374656101", Convert.ToHexString(Admitted.Single().Arguments.Span).ToLowerInvariant());
        _ingress.Entrance.Answer = static _ => Value("07");
        Assert.Equal(7, await _shop.CountAsync("x", [1, 2], CancellationToken.None)); // A parameter has the name that the token would have.
        Assert.Equal("shop", _shop.Instance);
    }

    [Fact]
    public async Task Calls_are_numbered_and_say_what_has_ended()
    {
        _ingress.Entrance.Answer = static call =>
            call.Key!.Value.N == 2 ? null : new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Void);
        await _shop.CloseAsync();
        Task pending = _shop.CloseAsync();
        await UntilAsync(() => Admitted.Count == 2);
        await _shop.CloseSend();
        await _shop.CloseAsync();
        Assert.Equal([(1ul, 0ul), (2, 1), (3, 1), (4, 1)], Admitted.Select(static call => (call.Key!.Value.N, call.Key!.Value.Low)));
        Assert.Single(Admitted.Select(static call => call.Key!.Value.Text).Distinct());
        _ingress.Entrance.Complete(new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Void));
        await pending;
        await _shop.CloseAsync();
        Assert.Equal((5ul, 4ul), (Admitted[^1].Key!.Value.N, Admitted[^1].Key!.Value.Low));
    }

    [Theory]
    [InlineData((int)OutsideReplyKind.Unavailable)]
    [InlineData((int)OutsideReplyKind.Full)]
    public async Task What_may_change_is_tried_again_with_the_same_key(int kind)
    {
        _ingress.Entrance.Says = (OutsideReplyKind)kind;
        Task calling = _shop.CloseAsync();
        await Task.Delay(200);
        Assert.False(calling.IsCompleted);
        _ingress.Entrance.Says = null;
        await calling;
        Assert.Equal(1ul, Admitted.Single().Key!.Value.N);
    }

    [Theory]
    [InlineData((int)OutsideReplyKind.OtherBody, "IC-7003")]
    [InlineData((int)OutsideReplyKind.Acknowledged, "IC-7005")]
    [InlineData((int)OutsideReplyKind.Future, "IC-7008")]
    public async Task What_will_not_change_is_thrown_at_once(int kind, string code)
    {
        _ingress.Entrance.Says = (OutsideReplyKind)kind;
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(() => _shop.CloseAsync());
        Assert.Equal(code, refused.Code);
        Assert.Contains("IShop.Close", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_forgotten_line_is_replaced_if_the_call_cannot_have_run()
    {
        await _shop.CloseAsync();
        KeyHash first = Admitted.Single().Key!.Value.Text;
        _ingress.Entrance.SaysOf = call => call.Key!.Value.Text == first ? OutsideReplyKind.Forgotten : null;
        await _shop.CloseAsync();
        Assert.Equal(2, Admitted.Count);
        Assert.Equal((1ul, 0ul), (Admitted[1].Key!.Value.N, Admitted[1].Key!.Value.Low));
        Assert.NotEqual(first, Admitted[1].Key!.Value.Text);
    }

    [Fact]
    public async Task Several_forgotten_lines_are_replaced()
    {
        using AmbrosiaClient client = Connect(options => options.MaxConcurrentCalls = 1024);
        ShopClient shop = client.Get<ShopClient>("shop");
        _ingress.Entrance.Answer = static _ => null;
        Task[] burst = [.. Enumerable.Range(0, 700).Select(_ => shop.CloseAsync())];
        await UntilAsync(() => Admitted.Count == 700);
        _ingress.Entrance.Answer = static _ => s_nothing;
        _ingress.Entrance.Complete(s_nothing);
        await Task.WhenAll(burst);
        HashSet<KeyHash> forgotten = [.. Admitted.Select(static call => call.Key!.Value.Text)];
        Assert.Equal(2, forgotten.Count);
        _ingress.Entrance.SaysOf = call => forgotten.Contains(call.Key!.Value.Text) ? OutsideReplyKind.Forgotten : null;
        await shop.CloseAsync().WaitAsync(s_patience);
        Assert.DoesNotContain(Admitted[^1].Key!.Value.Text, forgotten);
    }

    [Fact]
    public async Task A_clock_that_is_too_late_is_told()
    {
        _ingress.Entrance.SaysOf = static _ => OutsideReplyKind.Forgotten;
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(() => _shop.CloseAsync().WaitAsync(s_patience));
        Assert.Equal(("IC-7004", false), (refused.Code, refused.IsFinal));
        Assert.Contains("has not run", refused.Message, StringComparison.Ordinal);
    }

    [Fact] // gRPC looks at the system's.
    public async Task Any_clock_will_do()
    {
        var options = new AmbrosiaClientOptions { Addresses = { AddressOf(_ingress) } };
        using var client = new AmbrosiaClient(options, new ManualTime());
        await client.Get<ShopClient>("shop").CloseAsync().WaitAsync(s_patience);
    }

    [Fact]
    public async Task Arguments_that_are_too_large_are_refused_at_once()
    {
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(
            () => _shop.OrderAsync(new string('x', 5 << 20)).WaitAsync(s_patience));
        Assert.Equal("IC-7014", refused.Code);
    }

    [Fact]
    public async Task Disposal_ends_all_calls_those_too_that_wait_for_others()
    {
        AmbrosiaClient client = Connect(static options => options.MaxConcurrentCalls = 1);
        ShopClient shop = client.Get<ShopClient>("shop");
        _ingress.Entrance.Answer = static _ => null;
        Task open = shop.CloseAsync();
        await UntilAsync(() => Admitted.Count == 1);
        Task waiting = shop.CloseAsync();
        client.Dispose();
        client.Dispose();
        foreach (Task call in new[] { open, waiting, shop.CloseAsync() })
        {
            ObjectDisposedException ended = await Assert.ThrowsAsync<ObjectDisposedException>(() => call.WaitAsync(s_patience));
            Assert.Contains("IShop.Close of shop", ended.Message, StringComparison.Ordinal);
        }

        Assert.Throws<ObjectDisposedException>(() => client.Get<ShopClient>("shop"));
    }

    [Fact]
    public async Task A_forgotten_call_that_may_have_run_is_not_sent_under_another_key()
    {
        // Another key would be admitted.
        KeyHash? first = null;
        int tries = 0;
        _ingress.Entrance.SaysOf = call =>
        {
            first ??= call.Key!.Value.Text;
            return call.Key!.Value.Text != first ? null : ++tries > 2 ? OutsideReplyKind.Forgotten : OutsideReplyKind.Unavailable;
        };
        Task calling = _shop.CloseAsync();
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(() => calling);
        Assert.Equal(("IC-7004", true), (refused.Code, refused.IsFinal));
        Assert.Empty(Admitted);
    }

    [Fact]
    public async Task Another_address_is_asked_when_one_is_no_primary_or_not_there()
    {
        await using IngressUnderTest secondary = await StartAsync();
        secondary.Entrance.Says = OutsideReplyKind.Unavailable;
        IngressUnderTest gone = await StartAsync();
        string dead = AddressOf(gone);
        await gone.DisposeAsync();
        using AmbrosiaClient replicas = AmbrosiaClient.For(dead, AddressOf(secondary), AddressOf(_ingress));
        ShopClient shop = replicas.Get<ShopClient>("shop");
        await shop.CloseAsync().WaitAsync(s_patience);
        await shop.CloseAsync().WaitAsync(s_patience);
        Assert.Equal([1ul, 2], Admitted.Select(static call => call.Key!.Value.N));

        // The primary moves.
        (secondary.Entrance.Says, _ingress.Entrance.Says) = (null, OutsideReplyKind.Unavailable);
        await shop.CloseAsync().WaitAsync(s_patience);
        Assert.Equal(3ul, secondary.Entrance.Admitted.Single().Key!.Value.N);
    }

    [Fact]
    public async Task A_key_of_ones_own_is_one_call()
    {
        int answers = 0;
        _ingress.Entrance.Answer = _ => Value($"a1{0x31 + answers++:x2}");
        ShopClient order = _shop.WithKey(new CallKey("order-42", DateTimeOffset.FromUnixTimeSeconds(1_795_439_000)));
        Assert.Equal(1m, await order.OrderAsync("tea", 2));
        Assert.Equal(1m, await order.OrderAsync("tea", 2));
        Assert.Equal(new OutsideKey("local", KeyHash.Of("order-42"), 1_795_439_000_000), Admitted.Single().Key);
    }

    [Fact] // outside-calls.md X27
    public async Task An_immortal_without_a_log_is_named_by_the_keys_of_the_client()
    {
        await using IngressUnderTest forgetful = await StartAsync(logEndsWithProcess: true);
        using AmbrosiaClient client = AmbrosiaClient.For(AddressOf(forgetful));
        ShopClient shop = client.Get<ShopClient>("shop");
        await shop.CloseAsync().WaitAsync(s_patience);
        await shop.CloseSend().WaitAsync(s_patience);

        // It starts again, while nothing is under way.
        forgetful.Entrance.InstanceId = Guid.NewGuid();
        await shop.CloseAsync().WaitAsync(s_patience);
        await shop.CloseAsync().WaitAsync(s_patience);
        Assert.Equal(4, forgetful.Entrance.Admitted.Count);
    }

    [Fact] // outside-calls.md X27
    public async Task A_call_that_an_immortal_without_a_log_may_have_forgotten_is_not_sent_to_its_next_start()
    {
        await using IngressUnderTest forgetful = await StartAsync(logEndsWithProcess: true);
        using AmbrosiaClient client = AmbrosiaClient.For(AddressOf(forgetful));
        ShopClient shop = client.Get<ShopClient>("shop");
        await shop.CloseAsync().WaitAsync(s_patience);
        Guid next = Guid.NewGuid();
        forgetful.Entrance.SaysOf = _ =>
        {
            forgetful.Entrance.InstanceId = next;
            return OutsideReplyKind.Unavailable;
        };
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(() => shop.CloseAsync().WaitAsync(s_patience));
        Assert.Equal(("IC-7022", next.ToString("N")), (refused.Code, refused.InstanceId));
        Assert.Contains("may have run", refused.Message, StringComparison.Ordinal);
        Assert.Single(forgetful.Entrance.Admitted);

        forgetful.Entrance.SaysOf = static _ => null;
        await shop.CloseAsync().WaitAsync(s_patience); // Another call.
        Assert.Equal(2, forgetful.Entrance.Admitted.Count);
    }

    [Fact] // outside-calls.md X27
    public async Task A_key_of_ones_own_says_itself_which_start_of_an_immortal_without_a_log_it_is_for()
    {
        await using IngressUnderTest forgetful = await StartAsync(logEndsWithProcess: true);
        using AmbrosiaClient client = AmbrosiaClient.For(AddressOf(forgetful));
        ShopClient shop = client.Get<ShopClient>("shop");
        await shop.CloseAsync().WaitAsync(s_patience);
        var key = new CallKey("order-42", DateTimeOffset.FromUnixTimeSeconds(1_795_439_000));
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(
            () => shop.WithKey(key).CloseAsync().WaitAsync(s_patience));
        Assert.Equal("IC-7028", refused.Code);
        CallKey named = key with { InstanceId = refused.InstanceId };
        await shop.WithKey(named).CloseAsync().WaitAsync(s_patience);
        forgetful.Entrance.InstanceId = Guid.NewGuid();
        refused = await Assert.ThrowsAsync<CallRefusedException>(() => shop.WithKey(named).CloseAsync().WaitAsync(s_patience));
        Assert.Equal("IC-7022", refused.Code);
        Assert.Equal(2, forgetful.Entrance.Admitted.Count);
    }

    [Fact]
    public void A_key_that_cannot_be_one_is_refused_with_what_is_missing()
    {
        DateTimeOffset made = DateTimeOffset.FromUnixTimeSeconds(1_795_439_000);
        foreach ((CallKey key, string parameter, string said) in new[]
        {
            (new CallKey("x", default), "Made", "does not say when it was made"),
            (new CallKey("", made), "Name", "from 1 to 255 characters"),
            (new CallKey(null!, made), "Name", "from 1 to 255 characters"),
            (new CallKey("é", made), "Name", "visible ASCII"),
            (new CallKey("x", made) { InstanceId = "5f0c" }, "InstanceId", "32 hexadecimal digits"),
        })
        {
            ArgumentException refused = Assert.Throws<ArgumentException>(() => _shop.WithKey(key));
            Assert.Equal(parameter, refused.ParamName);
            Assert.Contains(said, refused.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_null_that_has_no_place_is_refused_with_its_parameter_and_a_way_out()
    {
        MessagePackException refused = await Assert.ThrowsAsync<MessagePackException>(() => _shop.OrderAsync(null!));
        Assert.Equal("IC-1103", refused.Code);
        Assert.StartsWith("Order.item: ", refused.Message, StringComparison.Ordinal);
        Assert.Contains(
            "is null, but declared as not nullable: give a value, or declare the type with ? (IC-1103", refused.Message,
            StringComparison.Ordinal);
        Assert.Empty(Admitted);
    }

    [Fact]
    public async Task A_method_that_has_other_parameters_there_is_refused_with_both()
    {
        _ingress.Told.Tell("""
            {"interface":"Shop.IShop","methods":[{"id":9,"name":"Order","impulse":true,"parameters":[{"name":"item","type":"text"},
            {"name":"colour","type":"text"}]}],"types":[]}
            """);
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(() => _shop.OrderAsync("tea"));
        Assert.Equal("IC-7010", refused.Code);
        Assert.Contains("; here it is Order(item, colour) (number 9), with other parameters: ", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Exceptions_of_a_handler_have_their_type_their_message_and_their_data()
    {
        _ingress.Entrance.Answer = static _ => Thrown("System.ArgumentException", "no tea", null);
        ArgumentException known = await Assert.ThrowsAsync<ArgumentException>(() => _shop.CloseAsync());
        Assert.Equal("no tea", known.Message);
        _ingress.Entrance.Answer = static _ => Thrown("Elsewhere.StrangeException", "odd", null);
        RemoteException foreign = await Assert.ThrowsAsync<RemoteException>(() => _shop.CloseAsync());
        Assert.Equal(("Elsewhere.StrangeException", "odd"), (foreign.RemoteType, foreign.Message));
        _ingress.Entrance.Answer = static _ => Thrown("Ambrosia.Client.Tests.SoldOutException", "gone", """{"Left":3}""");
        SoldOutException declared = await Assert.ThrowsAsync<SoldOutException>(() => _shop.CountAsync("x", []));
        Assert.Equal((3, "gone"), (declared.Left, declared.Message));
        _ingress.Entrance.Answer = static _ => Thrown("System.OperationCanceledException", "stopped there", null);
        await Assert.ThrowsAsync<RemoteException>(() => _shop.CloseAsync()); // Nothing was cancelled here.
    }

    [Fact]
    public async Task An_answer_of_another_version_is_told_so()
    {
        await Assert.ThrowsAsync<InvalidDataException>(() => _shop.OrderAsync("tea")); // Nothing, where a decimal belongs.
        foreach (string hex in new[] { "c3", "a3616263", "", "c1", "d9ff", "a23161" })
        {
            _ingress.Entrance.Answer = _ => Value(hex);
            await Assert.ThrowsAsync<InvalidDataException>(() => _shop.OrderAsync("tea"));
        }
    }

    [Fact]
    public async Task A_call_ends_with_its_token_or_its_deadline()
    {
        _ingress.Entrance.Answer = static _ => null;
        using var stop = new CancellationTokenSource();
        Task calling = _shop.CloseAsync(stop.Token);
        await UntilAsync(() => Admitted.Count == 1);
        await stop.CancelAsync();
        OperationCanceledException cancelled = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => calling);
        Assert.Equal(stop.Token, cancelled.CancellationToken);

        var options = new AmbrosiaClientOptions { Deadline = TimeSpan.FromMilliseconds(200) };
        options.Instances["shop"] = [AddressOf(_ingress)];
        using var hasty = new AmbrosiaClient(options);
        CallNotAnsweredException late =
            await Assert.ThrowsAsync<CallNotAnsweredException>(() => hasty.Get<ShopClient>("shop").CloseAsync());
        Assert.Contains("IShop.Close of shop was not answered", late.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_application_gets_its_clients_by_injection()
    {
        await using ServiceProvider provider = new ServiceCollection()
            .AddAmbrosiaClient(options => options.Addresses.Add(AddressOf(_ingress)))
            .AddImmortalClient<ShopClient>("shop")
            .BuildServiceProvider();
        await provider.GetRequiredService<ShopClient>().CloseAsync();
        Assert.Same(provider.GetRequiredService<ShopClient>(), provider.GetRequiredService<ShopClient>());
        Assert.Single(Admitted);
    }

    [Theory]
    [InlineData("127.0.0.1:8080")]
    [InlineData("ftp://x")]
    [InlineData("")]
    public void An_address_that_is_none_is_refused_at_once(string address) =>
        Assert.Throws<ArgumentException>(() => AmbrosiaClient.For(address));

    [Fact]
    public void What_is_missing_is_named()
    {
        Assert.Contains(
            "has a path", Assert.Throws<ArgumentException>(() => AmbrosiaClient.For("http://127.0.0.1:8080/shop")).Message,
            StringComparison.Ordinal);
        Assert.Contains("no address for shop", Assert.Throws<ArgumentException>(() => AmbrosiaClient.For().Get<ShopClient>("shop")).Message,
            StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => _client.Get<ShopClient>("no name"));
        Assert.Contains("AmbrosiaClient.Get", Assert.Throws<InvalidOperationException>(() => new ShopClient().Instance).Message,
            StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => new AmbrosiaClient(new AmbrosiaClientOptions { MaxConcurrentCalls = 0 }));
        Assert.Throws<ArgumentException>(() => new AmbrosiaClient(new AmbrosiaClientOptions { Deadline = TimeSpan.Zero }));
    }

    [Fact]
    public void Options_that_cannot_be_are_refused_at_once()
    {
        Assert.Throws<ArgumentException>(() => Connect(static options => options.Deadline = TimeSpan.FromDays(60)));
        Assert.Throws<ArgumentException>(() => Connect(static options => options.Addresses.Add(null!)));
        using AmbrosiaClient named = Connect(static options => options.Instances["shop"] = ["http://{instance}.example:8080"]);
        named.Get<ShopClient>("shop");
    }

    private AmbrosiaClient Connect(Action<AmbrosiaClientOptions> configure)
    {
        var options = new AmbrosiaClientOptions { Addresses = { AddressOf(_ingress) } };
        configure(options);
        return new AmbrosiaClient(options);
    }

    private static async Task<IngressUnderTest> StartAsync(bool logEndsWithProcess = false)
    {
        IngressUnderTest ingress = await IngressUnderTest.StartAsync(logEndsWithProcess: logEndsWithProcess);
        ingress.Told.Tell(ShopShapes.Text);
        return ingress;
    }

    private static string AddressOf(IngressUnderTest ingress) => $"http://127.0.0.1:{ingress.Port}";

    private static OutsideReply Value(string hex) => new(OutsideReplyKind.Answer, (byte)RpcForm.Value, Convert.FromHexString(hex));

    private static OutsideReply Thrown(string type, string message, string? data)
    {
        byte[] bytes = MessagePack.MessagePackSerializer.Serialize(data is null ? new object?[] { type, message, "", null }
            : [type, message, "", null, data]);
        return new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Exception, bytes);
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        for (int i = 0; !condition(); i++)
        {
            Assert.True(i < 2000);
            await Task.Delay(5);
        }
    }
}
