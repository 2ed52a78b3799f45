using Ambrosia.CoordinatorHost.Gateway;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>Which headers of a caller pass a gateway: never so many that an instance refuses what the gateway has let in.</summary>
public sealed class HeaderRulesTests
{
    [Fact] // An instance takes a hundred lines, of which a gateway adds some.
    public void Lines_of_one_name_pass_as_one()
    {
        var traces = new StringValues([.. Enumerable.Range(0, 95).Select(static i => $"vendor{i}=value")]);
        Assert.Equal([("tracestate", string.Join(',', traces.ToArray()))], Passing(("tracestate", traces)));
        Assert.Equal([("Idempotency-Key", "\"a\",\"b\"")], Passing(("Idempotency-Key", new StringValues(["\"a\"", "\"b\""]))));
    }

    [Fact]
    public void What_an_instance_can_do_without_passes_up_to_4_KiB()
    {
        string fits = new('t', 4096);
        Assert.Equal([("Accept", fits), ("tracestate", fits)], Passing(("tracestate", fits), ("Accept", fits)));
        Assert.Empty(Passing(("tracestate", fits + "t"), ("Accept", fits + "t")));
    }

    [Fact] // Without it the call would run as one that has none.
    public void A_key_passes_even_if_it_is_too_long_or_empty()
    {
        string large = new('k', 30_000);
        Assert.Equal([("Idempotency-Key", large)], Passing(("Idempotency-Key", large)));
        Assert.Equal([("Idempotency-Key", "")], Passing(("Idempotency-Key", "")));
    }

    [Fact]
    public void What_claims_something_of_the_caller_or_belongs_to_its_connection_stays()
    {
        Assert.Empty(Passing(
            ("X-Forwarded-For", "10.0.0.1"), ("Ambrosia-Caller", "alice"), ("Connection", "close"), ("Origin", "https://a")));
    }

    private static IEnumerable<(string, string)> Passing(params (string Name, StringValues Value)[] headers)
    {
        var context = new DefaultHttpContext();
        foreach ((string name, StringValues value) in headers)
        {
            context.Request.Headers[name] = value;
        }

        return HeaderRules.Passing(context.Request).Select(static each => (each.Key, each.Value));
    }
}
