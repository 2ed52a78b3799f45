using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using static Ambrosia.ImmortalCoordinator.Tests.Gateway.GatewayUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>Web pages of other origins at a gateway: those that are listed may call, as at an instance, and no others.</summary>
public sealed class GatewayOriginsTests
{
    private const string Path = "/v1/immortals/shop/Order";
    private const string Mine = "http://localhost:5173";
    private const string AllowOrigin = "Access-Control-Allow-Origin";

    [Theory]
    [InlineData("https://shop.example", true)]
    [InlineData(Mine, true)]
    [InlineData("http://shop.example", false)]
    [InlineData("https://shop.example.evil.example", false)]
    [InlineData("null", false)]
    public async Task A_page_may_ask_and_call_if_its_origin_is_listed(string origin, bool expected)
    {
        await using GatewayUnderTest gateway = await StartAsync(hasTokens: false, origins: $"https://shop.example,{Mine}");
        await using IngressUnderTest shop = await IngressUnderTest.StartAsync();
        shop.Entrance.InstanceId = new Guid(Id);
        shop.Entrance.Answer = static _ => null;
        await gateway.PutAsync("shop", Id, shop.Address);
        (int status, HttpResponseMessage asked) = await PreflightAsync(gateway, origin);
        Assert.Equal(expected ? 204 : 401, status);
        Assert.Equal(expected ? origin : "", Header(asked, AllowOrigin));
        Assert.Equal(expected, Header(asked, "Access-Control-Allow-Headers").Contains("Idempotency-Key", StringComparison.Ordinal));
        Assert.Equal(0, shop.Entrance.Asked); // The gateway itself has answered.
        (status, _, HttpResponseMessage called) = await gateway.SendAsync(
            HttpMethod.Post, $"{Path}?mode=send", """{"item":"tea"}""", IngressUnderTest.Key, null,
            ("Origin", origin), ("Sec-Fetch-Site", "cross-site"));
        Assert.Equal(expected ? 202 : 401, status);
        Assert.Equal(expected ? origin : "", Header(called, AllowOrigin));
        Assert.Equal(expected, Header(called, "Access-Control-Expose-Headers").Contains("Location", StringComparison.Ordinal));
        Assert.Equal(expected ? 1 : 0, shop.Entrance.Admitted.Count);
    }

    [Fact]
    public async Task No_page_is_answered_while_none_is_listed_and_none_under_another_name_of_this_machine()
    {
        await using GatewayUnderTest none = await StartAsync(hasTokens: false);
        (int status, HttpResponseMessage refused) = await PreflightAsync(none, Mine);
        Assert.Equal((401, ""), (status, Header(refused, AllowOrigin)));
        await using GatewayUnderTest gateway = await StartAsync(hasTokens: false, origins: Mine);
        (status, string text, HttpResponseMessage rebound) = await gateway.SendAsync(
            HttpMethod.Post, Path, "{}", null, null, ("Origin", Mine), ("Host", "evil.example"));
        Assert.Equal((401, "IC-7013", ""), (status, CodeOf(text), Header(rebound, AllowOrigin)));
    }

    [Fact]
    public async Task A_page_needs_a_token_where_callers_do_and_sees_each_refusal()
    {
        const string Any = "https://any.example";
        await using GatewayUnderTest gateway = await StartAsync(origins: "*");
        await using IngressUnderTest shop = await gateway.AddAsync();
        Assert.Equal(204, (await PreflightAsync(gateway, Any)).Status);
        (int status, string text, HttpResponseMessage refused) = await gateway.OrderAsync(token: null, headers: ("Origin", Any));
        Assert.Equal((401, "IC-7013", Any, "Origin"), (status, CodeOf(text), Header(refused, AllowOrigin), Header(refused, "Vary")));
        (status, text, HttpResponseMessage absent) = await gateway.OrderAsync(instance: "nowhere", headers: ("Origin", Any));
        Assert.Equal((404, "IC-7023", Any), (status, CodeOf(text), Header(absent, AllowOrigin)));
        (status, _, HttpResponseMessage called) = await gateway.OrderAsync(headers: ("Origin", Any));
        Assert.Equal((204, Any), (status, Header(called, AllowOrigin)));
        shop.Entrance.Answer = static _ => null;
        Task<(int Status, string, HttpResponseMessage Response)> waiting = gateway.OrderAsync();
        await Within.Until(() => shop.Entrance.Admitted.Count == 2);
        Task<int> stopping = gateway.Server.StopAsync(TimeSpan.FromMilliseconds(300));
        (status, _, HttpResponseMessage stopped) = await gateway.OrderAsync(headers: ("Origin", Any));
        Assert.Equal((503, Any), (status, Header(stopped, AllowOrigin)));
        await stopping;
        Assert.Equal("", Header((await waiting).Response, AllowOrigin)); // No page has sent it.
    }

    private static Task<GatewayUnderTest> StartAsync(bool hasTokens = true, string origins = "none") =>
        GatewayUnderTest.StartAsync(options => options with { Origins = IngressOrigins.TryParse(origins)! }, hasTokens);

    private static async Task<(int Status, HttpResponseMessage Response)> PreflightAsync(GatewayUnderTest gateway, string origin)
    {
        (int status, _, HttpResponseMessage response) = await gateway.SendAsync(
            HttpMethod.Options, Path, null, null, null, ("Origin", origin), ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "content-type,idempotency-key"), ("Sec-Fetch-Mode", "cors"));
        return (status, response);
    }

    private static string Header(HttpResponseMessage answer, string name) =>
        answer.Headers.TryGetValues(name, out IEnumerable<string>? values) ? string.Join(", ", values) : "";
}
