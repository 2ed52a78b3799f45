using System.Net;
using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>Which calls a gateway sends again, and where to (outside-calls.md X22).</summary>
public sealed class ForwarderTests : IDisposable
{
    private readonly LeapingClock _clock = new();
    private readonly ScriptedLink _link = new();
    private readonly LogLines _log = new();
    private readonly RouteTable _routes;
    private Func<Route?> _look = static () => To("a");
    private int _looks;

    public ForwarderTests() => _routes = new RouteTable(
        (_, _) =>
        {
            _looks++;
            return Task.FromResult(_look());
        }, TimeProvider.System, new RouteLimits { Between = TimeSpan.Zero });

    public void Dispose() => _routes.Dispose();

    [Theory]
    [InlineData((int)TryOutcome.Broken)]
    [InlineData((int)TryOutcome.Unavailable)]
    [InlineData((int)TryOutcome.NotSent)]
    public async Task A_call_with_a_key_is_sent_again_to_where_its_instance_is_by_then(int failure)
    {
        _link.Then((TryOutcome)failure, () => _look = static () => To("a", "http://10.0.0.2:1"));
        Assert.Equal(200, (await SendAsync(hasKey: true)).Answer?.Status);
        Assert.Equal(["a", "a"], _link.Tried);
        Assert.Equal(2, _looks);
    }

    [Theory]
    [InlineData((int)TryOutcome.Broken, "IC-7012")]
    [InlineData((int)TryOutcome.Unavailable, "IC-7007")]
    [InlineData((int)TryOutcome.OtherInstance, "IC-7007")]
    public async Task A_call_without_a_key_is_not_sent_twice_once_a_byte_of_it_may_have_arrived(int failure, string code)
    {
        _link.Then((TryOutcome)failure);
        Assert.Equal(code, (await SendAsync(hasKey: false)).Problem?.Code.Id);
        Assert.Single(_link.Tried);
        await SendAsync(hasKey: false);
        Assert.Equal(2, _looks); // The next one looks where its instance is.
    }

    [Fact]
    public async Task A_call_without_a_key_goes_on_while_no_byte_of_it_has_left()
    {
        _link.Then(TryOutcome.NotSent).Then(TryOutcome.NotSent, () => _look = static () => To("b"));
        Assert.Equal(200, (await SendAsync(hasKey: false)).Answer?.Status);
        Assert.Equal(["a", "a", "b"], _link.Tried); // It has run nowhere, so that the new instance may have it.
    }

    [Theory]
    [InlineData((int)TryOutcome.Broken)]
    [InlineData((int)TryOutcome.Unavailable)]
    public async Task A_call_that_an_instance_may_have_got_never_goes_to_another_of_its_name(int failure)
    {
        _link.Then((TryOutcome)failure, static () => { }).Then(TryOutcome.NotSent, () => _look = static () => To("b"));
        Forwarded told = await SendAsync(hasKey: true);
        Assert.Equal((410, "IC-7022"), (told.Problem?.Status, told.Problem?.Code.Id));
        Assert.Equal(["a", "a"], _link.Tried);
    }

    [Fact]
    public async Task An_address_that_another_instance_has_by_now_is_looked_up_again()
    {
        _link.Then(TryOutcome.OtherInstance, () => _look = static () => To("b"));
        Assert.Equal(200, (await SendAsync(hasKey: true)).Answer?.Status);
        Assert.Equal(["a", "b"], _link.Tried); // What is meant for another one is refused before it is admitted.
    }

    [Theory]
    [InlineData((int)TryOutcome.NotSent, "IC-7007")]
    [InlineData((int)TryOutcome.Broken, "IC-7016")]
    public async Task Tries_end_with_the_time_of_the_caller_and_say_what_may_be_true(int first, string code)
    {
        _link.Then((TryOutcome)first);
        for (int i = 0; i < 200; i++)
        {
            _link.Then(TryOutcome.NotSent);
        }

        Assert.Equal(code, (await SendAsync(hasKey: true)).Problem?.Code.Id);
        Assert.InRange(_clock.Elapsed.TotalSeconds, 30, 31);
        Assert.InRange(_link.Tried.Count, 20, 60); // Longer each time, up to a second.
    }

    [Fact]
    public async Task A_call_that_waits_long_waits_in_slices_so_that_a_process_that_stands_still_is_given_up()
    {
        for (int i = 0; i < 3; i++)
        {
            _link.Then(TryOutcome.Pending, () => _clock.CreateTimer(static _ => { }, null, Forwarder.Slice, Timeout.InfiniteTimeSpan));
        }

        Assert.Equal(202, (await SendAsync(hasKey: true)).Answer?.Status);
        Assert.Equal([10, 10, 10], _link.Waits.Select(static wait => wait.TotalSeconds));
        Assert.Equal(1, _looks); // It waits where it is.
    }

    [Fact]
    public async Task A_call_without_a_key_waits_once_for_all_its_time()
    {
        _link.Then(TryOutcome.Pending);
        Assert.Equal(202, (await SendAsync(hasKey: false)).Answer?.Status);
        Assert.Equal([30], _link.Waits.Select(static wait => wait.TotalSeconds));
    }

    [Fact]
    public async Task A_query_waits_once_for_all_its_time_because_it_would_begin_anew()
    {
        _link.Then(TryOutcome.Pending, () => _clock.CreateTimer(static _ => { }, null, Call(true).Wait, Timeout.InfiniteTimeSpan));
        Forwarded told = await SendAsync(Call(true) with { Method = HttpMethod.Get, IsQuery = true });
        Assert.Equal(202, told.Answer?.Status);
        Assert.Equal([30], _link.Waits.Select(static wait => wait.TotalSeconds));
    }

    [Fact] // It may have been sent to a process that stands still, while the catalog names another one.
    public async Task A_caller_that_gives_up_leaves_its_doubt_to_the_next()
    {
        _link.Then(TryOutcome.Pending, static () => throw new OperationCanceledException());
        await Assert.ThrowsAsync<OperationCanceledException>(() => SendAsync(hasKey: true));
        await SendAsync(hasKey: true);
        Assert.Equal(2, _looks);
    }

    [Fact]
    public async Task An_instance_whose_log_does_not_say_is_looked_up_again()
    {
        _link.Then(TryOutcome.Pending, () => _look = static () => To("a", "http://10.0.0.2:1"), reason: "IC-7016");
        Assert.Equal(200, (await SendAsync(hasKey: true)).Answer?.Status);
        Assert.Equal(2, _looks);
    }

    [Theory]
    [InlineData("", 1)]
    [InlineData("../shop", 1)]
    [InlineData("shop", 1 << 20)]
    public async Task What_cannot_be_a_name_is_neither_looked_up_nor_remembered(string name, int times)
    {
        Forwarded told = await SendAsync(Call(true) with { Instance = string.Concat(Enumerable.Repeat(name, times)) });
        Assert.Equal((404, "IC-7023"), (told.Problem?.Status, told.Problem?.Code.Id));
        Assert.InRange(told.Problem?.Detail.Length ?? 0, 1, 1000);
        Assert.Equal((0, 0), (_looks, _routes.Count));
    }

    [Fact]
    public async Task A_name_that_is_not_there_is_said_so_at_once()
    {
        _look = static () => null;
        Assert.Equal((404, "IC-7023"), await StatusAsync());
        Assert.Empty(_link.Tried);

        async Task<(int?, string?)> StatusAsync() =>
            await SendAsync(hasKey: true) is { Problem: { } problem } ? (problem.Status, problem.Code.Id) : default;
    }

    [Fact]
    public async Task A_catalog_that_cannot_be_read_is_waited_for()
    {
        _look = () => _looks < 3 ? throw new IOException("the disk is away") : To("a");
        Assert.Equal(200, (await SendAsync(hasKey: false)).Answer?.Status);
        _look = static () => throw new IOException("the disk is away");
        using var routes = new RouteTable(
            static (_, _) => throw new IOException("the disk is away"), TimeProvider.System, new RouteLimits { Between = TimeSpan.Zero });
        Forwarded told = await new Forwarder(routes, _link, _clock, static () => 1, _log).SendAsync(Call(true), default);
        Assert.Equal((503, "IC-7007"), (told.Problem?.Status, told.Problem?.Code.Id));
        Assert.DoesNotContain("the disk is away", told.Problem?.Detail, StringComparison.Ordinal); // It may name hosts and folders.
        Assert.Contains("1215 The gateway cannot say where shop is: the disk is away", _log.All[^1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData((int)TryOutcome.NotTrusted, "IC-7024")]
    [InlineData((int)TryOutcome.BadEncryption, "IC-7026")]
    public async Task A_gateway_and_an_instance_without_trust_are_told_unless_the_call_may_have_arrived(int refusal, string code)
    {
        _link.Then((TryOutcome)refusal).Then((TryOutcome)refusal);
        Forwarded told = await SendAsync(hasKey: true);
        Assert.Equal((502, code), (told.Problem?.Status, told.Problem?.Code.Id));
        Assert.Equal((2, 2), (_looks, _log.All.Count(line => line.Contains(code, StringComparison.Ordinal))));
        _link.Then(TryOutcome.Broken);
        for (int count = 0; count < 1000; count++)
        {
            _link.Then((TryOutcome)refusal);
        }

        told = await SendAsync(hasKey: true);
        Assert.Equal((504, "IC-7016"), (told.Problem?.Status, told.Problem?.Code.Id));
    }

    [Theory]
    [InlineData((int)TryOutcome.NotTrusted)]
    [InlineData((int)TryOutcome.BadEncryption)]
    public async Task What_is_remembered_refuses_nothing_that_a_fresh_look_up_lets_pass(int refusal)
    {
        Assert.Equal(200, (await SendAsync(hasKey: true)).Answer?.Status); // From now on "a" is remembered.
        _look = static () => To("b");
        Assert.Equal(200, (await SendAsync(Call(true) with { InstanceId = "b" })).Answer?.Status);
        Assert.Equal(["a", "b"], _link.Tried);
        Assert.Equal((410, "IC-7022"), Told(await SendAsync(Call(true) with { InstanceId = "a" })));
        _link.Then((TryOutcome)refusal, () => _look = static () => To("c")); // Somebody else has its address by now.
        Assert.Equal(200, (await SendAsync(hasKey: false)).Answer?.Status);
        Assert.Equal(["a", "b", "b", "c"], _link.Tried);
        _look = static () => throw new IOException("the disk is away");
        Assert.Equal((503, "IC-7007"), Told(await SendAsync(Call(true) with { InstanceId = "d" }))); // Nobody knows.

        static (int?, string?) Told(Forwarded told) => (told.Problem?.Status, told.Problem?.Code.Id);
    }

    private static Route To(string id, string address = "http://10.0.0.1:1") => new(new Uri(address), id);

    private static ForwardedCall Call(bool hasKey) => new()
    {
        Instance = "shop", Method = HttpMethod.Post, Path = "/v1/immortals/shop/Order", MayRepeat = hasKey, Wait = TimeSpan.FromSeconds(30),
    };

    private Task<Forwarded> SendAsync(bool hasKey) => SendAsync(Call(hasKey));

    private Task<Forwarded> SendAsync(ForwardedCall call) =>
        new Forwarder(_routes, _link, _clock, static () => 1, _log).SendAsync(call, CancellationToken.None);
}
