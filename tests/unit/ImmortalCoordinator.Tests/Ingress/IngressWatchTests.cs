using System.Net;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Gateway;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.V1;
using Grpc.Core;
using Grpc.Net.Client;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;
using QueryReply = Ambrosia.V1.QueryReply;
using QueryRequest = Ambrosia.V1.QueryRequest;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Queries that are watched: the answer of now, and each one that differs.</summary>
public sealed class IngressWatchTests : IAsyncLifetime
{
    private const string PriceOfTea = "/v1/immortals/shop/PriceOf?item=tea";
    private const string InstanceId = "0123456789abcdef0123456789abcdef"; // Of FakeEntrance.
    private static readonly IngressLimits s_quick = IngressLimits.Product with { WatchPause = TimeSpan.FromMilliseconds(5) };
    private static readonly HttpClient s_client = new();
    private readonly ChangingApp _app = new();
    private IngressUnderTest _ingress = null!;

    public async Task InitializeAsync() => _ingress = await ServeAsync(s_quick);

    public async Task DisposeAsync() => await _ingress.DisposeAsync();

    [Fact]
    public async Task Events_tell_the_answer_of_now_and_each_one_that_differs_with_its_record()
    {
        using EventReader events = await OpenAsync();
        Assert.Equal((HttpStatusCode.OK, "text/event-stream"), (events.Status, events.Kind));
        Assert.Equal("retry: 1000|id: 1|data: \"a\"", await events.NextAsync());
        _app.Move(2, "a");
        await Within.Until(() => _app.Asked == 2);
        _app.Move(3, "b");
        Assert.Equal("id: 3|data: \"b\"", await events.NextAsync());
        Assert.Empty(_ingress.Entrance.Admitted);
    }

    [Fact] // As EventSource does.
    public async Task Who_comes_again_says_which_event_was_the_last_and_is_told_nothing_older()
    {
        using EventReader first = await OpenAsync();
        await first.NextAsync();
        Task<EventReader> again = OpenAsync(lastId: "5");
        await Task.Delay(50);
        Assert.False(again.IsCompleted);
        _app.Move(5, "a");
        using EventReader events = await again;
        Assert.Equal("retry: 1000|id: 5|data: \"a\"", await events.NextAsync());
    }

    [Fact]
    public async Task One_query_with_the_same_arguments_is_asked_once_for_all_who_watch_it()
    {
        EventReader[] watchers = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => OpenAsync()));
        await Task.WhenAll(watchers.Select(static each => each.NextAsync()));
        _app.Move(2, "b");
        string[] next = await Task.WhenAll(watchers.Select(static each => each.NextAsync()));
        Assert.All(next, static text => Assert.Equal("id: 2|data: \"b\"", text));
        Assert.Equal(2, _app.Asked);
        Array.ForEach(watchers, static each => each.Dispose());
    }

    [Fact]
    public async Task A_query_that_nobody_watches_any_more_is_asked_no_more()
    {
        using (EventReader events = await OpenAsync())
        {
            await events.NextAsync();
        }

        using EventReader other = await OpenAsync("/v1/immortals/shop/PriceOf?item=coffee");
        await other.NextAsync();
        await Within.Until(() =>
        {
            int before = _app.Asked;
            _app.Move((ulong)before + 10, "x");
            Thread.Sleep(50);
            return _app.Asked == before + 1; // The other one alone.
        });
    }

    [Theory]
    [InlineData("/v1/immortals/shop/Order?item=tea", HttpStatusCode.MethodNotAllowed)]
    [InlineData("/v1/immortals/shop/PriceOf", HttpStatusCode.BadRequest)]
    [InlineData("/v1/immortals/shop/PriceOf?item=tea&at-least=9&wait=100ms", HttpStatusCode.GatewayTimeout)]
    public async Task What_cannot_be_watched_is_refused_as_if_it_was_asked_once(string path, HttpStatusCode status)
    {
        using EventReader events = await OpenAsync(path);
        Assert.Equal(status, events.Status);
    }

    [Fact]
    public async Task What_the_query_throws_ends_its_events()
    {
        using EventReader events = await OpenAsync();
        await events.NextAsync();
        _ingress.Asked.Answer = static (_, _) =>
            Task.FromResult(new AppAnswer(2, Protocol.QueryStatus.Failed, System.Text.Encoding.UTF8.GetBytes("no such item")));
        _app.Move(2, "b");
        string last = await events.NextAsync();
        last = last.StartsWith("id: 2", StringComparison.Ordinal) ? await events.NextAsync() : last; // It was asked before that.
        Assert.StartsWith("event: problem|data: {", last, StringComparison.Ordinal);
        Assert.Contains("IC-7011", last, StringComparison.Ordinal);
        Assert.Equal("", await events.NextAsync());
    }

    [Fact] // Its numbers and shapes are others: what it answers to the old ones is not what was asked.
    public async Task An_app_of_another_version_ends_the_events_and_who_comes_again_is_told_what_it_means()
    {
        using EventReader events = await OpenAsync();
        await events.NextAsync();
        Tell(_ingress, "\"id\":6", "\"id\":9");
        _app.Move(2, "b");
        Assert.Equal("", await events.NextAsync());
        using EventReader again = await OpenAsync(lastId: "1");
        Assert.Equal("retry: 1000|id: 2|data: \"b\"", await again.NextAsync());
    }

    [Fact]
    public async Task One_that_refuses_the_query_of_the_version_before_ends_the_events_and_does_not_refuse()
    {
        using EventReader events = await OpenAsync();
        await events.NextAsync();
        Tell(_ingress, "\"id\":6", "\"id\":9");
        _ingress.Asked.Answer = static (_, _) => Task.FromResult(new AppAnswer(2, Protocol.QueryStatus.Unknown, []));
        _app.Move(2, "b");
        string last = await events.NextAsync();
        Assert.Equal("", last.StartsWith("id: 2", StringComparison.Ordinal) ? await events.NextAsync() : last);
    }

    [Fact]
    public async Task An_app_that_comes_again_and_says_the_same_changes_nothing()
    {
        using EventReader events = await OpenAsync();
        await events.NextAsync();
        Tell(_ingress, "", "");
        _app.Move(2, "b");
        Assert.Equal("id: 2|data: \"b\"", await events.NextAsync());
    }

    [Fact]
    public async Task An_app_that_is_away_for_a_moment_is_waited_for()
    {
        using EventReader events = await OpenAsync();
        await events.NextAsync();
        _app.Refuse(static () => new NotServingException("gone"));
        await Task.Delay(100);
        _app.Refuse(null);
        _app.Move(4, "back");
        Assert.Equal("id: 4|data: \"back\"", await events.NextAsync());
    }

    [Fact] // Its code may be another one: the same record, and another answer.
    public async Task An_app_that_comes_back_is_asked_at_once_though_nothing_has_happened()
    {
        using EventReader events = await OpenAsync();
        await events.NextAsync();
        _app.Refuse(static () => new NotServingException("gone"));
        await Task.Delay(50);
        _app.Move(1, "other");
        _app.Refuse(null);
        Assert.Equal("id: 1|data: \"other\"", await events.NextAsync().WaitAsync(TimeSpan.FromSeconds(20)));
    }

    [Fact]
    public async Task Streams_leave_half_of_what_a_caller_may_have_open_to_its_calls()
    {
        await using IngressUnderTest ingress = await ServeAsync(s_quick with { RequestsOfOne = 4 });
        using EventReader one = await OpenAsync(ingress: ingress);
        using EventReader two = await OpenAsync(ingress: ingress);
        using EventReader three = await OpenAsync(ingress: ingress);
        Assert.Equal(((HttpStatusCode)429, HttpStatusCode.OK), (three.Status, two.Status));
        Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Order", """{"item":"tea"}""", IngressUnderTest.Key)).Status);
    }

    [Fact]
    public async Task A_stream_whose_time_is_over_before_its_first_event_was_not_answered_in_time()
    {
        await using IngressUnderTest ingress = await ServeAsync(s_quick with { WatchTime = TimeSpan.FromMilliseconds(50) });
        using EventReader events = await OpenAsync($"{PriceOfTea}&at-least=9&wait=1m", ingress);
        Assert.Equal(HttpStatusCode.GatewayTimeout, events.Status);
    }

    [Theory]
    [InlineData("text/event-stream", "text/event-stream")]
    [InlineData("text/event-stream, application/json", "text/event-stream")]
    [InlineData("application/json, text/event-stream;q=0.5", "application/json")]
    [InlineData("text/event-stream;q=0, */*", "application/json")]
    public async Task What_a_client_wants_most_it_is_sent(string accept, string kind)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(_ingress.Address, PriceOfTea));
        request.Headers.TryAddWithoutValidation("Accept", accept);
        using HttpResponseMessage response = await s_client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        Assert.Equal(kind, response.Content.Headers.ContentType?.MediaType);
    }

    [Fact] // EventSource takes 503 for the end. A client that says how long it waits asks elsewhere.
    public async Task One_that_is_away_when_a_stream_begins_is_waited_for_unless_its_client_says_how_long_it_waits()
    {
        _app.Refuse(static () => new NotServingException("it recovers"));
        using EventReader hasty = await OpenAsync($"{PriceOfTea}&wait=1s");
        Assert.Equal(HttpStatusCode.ServiceUnavailable, hasty.Status);
        Task<EventReader> opening = OpenAsync();
        await Task.Delay(50);
        Assert.False(opening.IsCompleted);
        _app.Refuse(null);
        using EventReader events = await opening;
        Assert.Equal("retry: 1000|id: 1|data: \"a\"", await events.NextAsync());
    }

    [Fact]
    public async Task One_that_stays_away_ends_the_stream_so_that_its_client_looks_elsewhere()
    {
        await using IngressUnderTest ingress = await ServeAsync(s_quick with { WatchPatience = TimeSpan.FromMilliseconds(50) });
        using EventReader events = await OpenAsync(ingress: ingress);
        await events.NextAsync();
        _app.Refuse(static () => new NotServingException("gone"));
        Assert.Equal("", await events.NextAsync());
        using EventReader next = await OpenAsync(ingress: ingress);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, next.Status);
    }

    [Fact]
    public async Task A_silent_stream_shows_signs_of_life_and_ends_at_its_time()
    {
        await using IngressUnderTest ingress = await ServeAsync(
            s_quick with { WatchBeat = TimeSpan.FromMilliseconds(20), WatchTime = TimeSpan.FromMilliseconds(500) });
        using EventReader events = await OpenAsync(ingress: ingress);
        await events.NextAsync();
        Assert.Equal("", await events.NextAsync());
        Assert.InRange(events.Beats, 1, 25);
    }

    [Fact]
    public async Task A_caller_watches_no_more_queries_than_its_share_and_others_have_theirs()
    {
        await using IngressUnderTest ingress = await ServeAsync(s_quick with { WatchesOfOne = 2, Watches = 3 });
        using EventReader one = await OpenAsync(ingress: ingress);
        using EventReader two = await OpenAsync("/v1/immortals/shop/PriceOf?item=2", ingress);
        using (EventReader three = await OpenAsync("/v1/immortals/shop/PriceOf?item=3", ingress))
        {
            Assert.Equal((HttpStatusCode)429, three.Status);
        }

        using EventReader same = await OpenAsync(ingress: ingress); // Is asked once for both.
        Assert.Equal(HttpStatusCode.OK, same.Status);
        two.Dispose();
        await Within.Until(() =>
        {
            using EventReader another = OpenAsync("/v1/immortals/shop/PriceOf?item=4", ingress).GetAwaiter().GetResult();
            return another.Status == HttpStatusCode.OK;
        });
    }

    [Fact]
    public async Task An_address_that_closes_ends_what_is_watched_at_once()
    {
        IngressUnderTest ingress = await ServeAsync(s_quick);
        using EventReader events = await OpenAsync(ingress: ingress);
        await events.NextAsync();
        await ingress.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(4));
        Assert.Equal("", await events.NextAsync());
    }

    [Fact]
    public async Task Over_gRPC_each_is_a_message()
    {
        using GrpcChannel channel = GrpcChannel.ForAddress(_ingress.Address);
        var client = new V1.Ingress.IngressClient(channel);
        using AsyncServerStreamingCall<QueryReply> call = client.Watch(
            new QueryRequest { Instance = "shop", Method = "PriceOf", Json = """{"item":"tea"}""" });
        Assert.Equal((1ul, "\"a\""), await NextAsync(call));
        Assert.Equal(InstanceId, (await call.ResponseHeadersAsync).GetValue("ambrosia-instance-id"));
        _app.Move(2, "b");
        Assert.Equal((2ul, "\"b\""), await NextAsync(call));
        using AsyncServerStreamingCall<QueryReply> wrong = client.Watch(
            new QueryRequest { Instance = "shop", Method = "Order", Json = "{}" });
        RpcException refused = await Assert.ThrowsAsync<RpcException>(() => NextAsync(wrong));
        Assert.Equal((StatusCode.NotFound, "IC-7010"), (refused.StatusCode, refused.Trailers.GetValue("ambrosia-code")));
    }

    [Fact] // Through a gateway as well: each piece as it comes.
    public async Task A_gateway_passes_events_and_messages_on_as_they_come()
    {
        await using GatewayUnderTest gateway = await GatewayUnderTest.StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Asked.Answer = _app.AnswerAsync;
        using EventReader events = await EventReader.OpenAsync(s_client, new Uri(gateway.Address, PriceOfTea), "one", lastId: "1");
        Assert.Equal(HttpStatusCode.OK, events.Status);
        Assert.Equal("retry: 1000|id: 1|data: \"a\"", await events.NextAsync());
        Assert.Equal(GatewayUnderTest.Id, events.InstanceId);
        using GrpcChannel channel = GrpcChannel.ForAddress(gateway.Address);
        using AsyncServerStreamingCall<QueryReply> call = new V1.Ingress.IngressClient(channel).Watch(
            new QueryRequest { Instance = "shop", Method = "PriceOf", Json = """{"item":"tea"}""" },
            new Metadata { { "Authorization", "Bearer one" } });
        Assert.Equal((1ul, "\"a\""), await NextAsync(call));
        _app.Move(2, "b");
        Assert.Equal("id: 2|data: \"b\"", await events.NextAsync());
        Assert.Equal((2ul, "\"b\""), await NextAsync(call));
    }

    [Fact] // A watch has no end of its own that a stop could wait for.
    public async Task A_gateway_that_stops_ends_what_is_watched_at_once()
    {
        await using GatewayUnderTest gateway = await GatewayUnderTest.StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Asked.Answer = _app.AnswerAsync;
        using EventReader events = await EventReader.OpenAsync(s_client, new Uri(gateway.Address, PriceOfTea), "one");
        await events.NextAsync();
        using GrpcChannel channel = GrpcChannel.ForAddress(gateway.Address);
        using AsyncServerStreamingCall<QueryReply> call = new V1.Ingress.IngressClient(channel).Watch(
            new QueryRequest { Instance = "shop", Method = "PriceOf", Json = """{"item":"tea"}""" },
            new Metadata { { "Authorization", "Bearer one" } });
        await NextAsync(call);
        Task<EventReader> waiting = EventReader.OpenAsync(s_client, new Uri(gateway.Address, $"{PriceOfTea}&at-least=9"), "one");
        await Task.Delay(200); // Until it waits there, most likely; it is refused in either case.
        Assert.Equal(0, await gateway.Server.StopAsync(TimeSpan.FromMinutes(5)).OrFail());
        Assert.Equal("", await events.NextAsync());
        RpcException ended = await Assert.ThrowsAsync<RpcException>(() => NextAsync(call));
        Assert.Equal((StatusCode.Unavailable, "IC-7007"), (ended.StatusCode, ended.Trailers.GetValue("ambrosia-code")));
        using EventReader none = await waiting;
        Assert.Equal(HttpStatusCode.ServiceUnavailable, none.Status);
    }

    private static async Task<(ulong Record, string Json)> NextAsync(AsyncServerStreamingCall<QueryReply> call)
    {
        Assert.True(await call.ResponseStream.MoveNext(default).OrFail());
        return (call.ResponseStream.Current.Record, call.ResponseStream.Current.Json);
    }

    private async Task<IngressUnderTest> ServeAsync(IngressLimits limits)
    {
        IngressUnderTest ingress = await StartAsync(limits);
        Tell(ingress, "", "");
        ingress.Asked.Answer = _app.AnswerAsync;
        return ingress;
    }

    // Another text each time, as each app's is.
    private static void Tell(IngressUnderTest ingress, string what, string instead)
    {
        string shapes = ShopShapes.Replace("\"result\":\"decimal\"}]", "\"result\":\"text\"}]", StringComparison.Ordinal);
        ingress.Told.Tell(what.Length == 0 ? new string(shapes) : shapes.Replace(what, instead, StringComparison.Ordinal));
    }

    private Task<EventReader> OpenAsync(string path = PriceOfTea, IngressUnderTest? ingress = null, string lastId = "") =>
        EventReader.OpenAsync(s_client, new Uri((ingress ?? _ingress).Address, path), lastId: lastId);
}
