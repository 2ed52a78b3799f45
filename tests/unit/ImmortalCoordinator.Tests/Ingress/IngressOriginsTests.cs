using System.Net;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging.Abstractions;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Web pages of other origins: those that are listed may call, and no others.</summary>
public sealed class IngressOriginsTests : IDisposable
{
    private const string Listed = "https://shop.example,http://localhost:5173";
    private const string Mine = "http://localhost:5173";
    private readonly string _file = Path.Combine(Path.GetTempPath(), $"callers-{Guid.NewGuid():N}");

    public void Dispose() => File.Delete(_file);

    [Theory]
    [InlineData("https://shop.example", true)]
    [InlineData(Mine, true)]
    [InlineData("http://shop.example", false)]
    [InlineData("https://shop.example:8443", false)]
    [InlineData("https://shop.example.evil.example", false)]
    [InlineData("https://evil.example", false)]
    [InlineData("http://localhost:517", false)]
    [InlineData("null", false)]
    public async Task A_page_may_ask_and_call_if_its_origin_is_listed(string origin, bool expected)
    {
        await using IngressUnderTest ingress = await StartAsync(origins: Listed);
        using HttpResponseMessage asked = await PreflightAsync(ingress, origin);
        Assert.Equal(expected ? HttpStatusCode.NoContent : HttpStatusCode.Unauthorized, asked.StatusCode);
        Assert.Equal(expected ? origin : "", Header(asked, "Access-Control-Allow-Origin"));
        Assert.Equal(expected ? "GET, POST" : "", Header(asked, "Access-Control-Allow-Methods"));
        Assert.Equal(expected, Header(asked, "Access-Control-Allow-Headers").Contains("Idempotency-Key", StringComparison.Ordinal));
        Assert.Equal(expected, Header(asked, "Access-Control-Allow-Headers").Contains("Last-Event-ID", StringComparison.Ordinal));
        Assert.Equal("", Header(asked, "Access-Control-Allow-Credentials"));

        using HttpResponseMessage called = await CallAsync(ingress, origin);
        Assert.Equal(expected ? HttpStatusCode.NoContent : HttpStatusCode.Unauthorized, called.StatusCode);
        Assert.Equal(expected ? origin : "", Header(called, "Access-Control-Allow-Origin"));
        Assert.Equal(expected ? 1 : 0, ingress.Entrance.Admitted.Count);
    }

    [Theory] // What a browser says of itself, and a page cannot change.
    [InlineData("", "cross-site", "no-cors", false)] // An image or a script of a page that is listed: it would see no answer.
    [InlineData(Mine, "same-site", "cors", true)]
    [InlineData("http://evil.example", "cross-site", "cors", false)]
    [InlineData("http://evil.example", "same-origin", "cors", false)]
    public async Task A_query_without_a_question_before_it_is_asked_for_listed_origins_alone(
        string origin, string site, string mode, bool isAnswered)
    {
        await using IngressUnderTest ingress = await StartAsync(origins: Listed);
        int asked = 0;
        ingress.Asked.Answer = (_, _) => Task.FromResult(new AppAnswer((ulong)++asked, QueryStatus.Answered, [0xa1, (byte)'5']));
        using HttpResponseMessage answer = await SendAsync(
            ingress, HttpMethod.Get, "/v1/immortals/shop/PriceOf?item=tea", origin, ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode));
        Assert.Equal(isAnswered ? (HttpStatusCode.OK, 1) : (HttpStatusCode.Unauthorized, 0), (answer.StatusCode, asked));
        Assert.Equal(isAnswered, Header(answer, "Access-Control-Expose-Headers").Contains("Ambrosia-Record", StringComparison.Ordinal));
    }

    [Fact]
    public async Task No_page_is_answered_while_none_is_listed_and_none_under_another_name_of_this_machine()
    {
        await using IngressUnderTest none = await StartAsync();
        using HttpResponseMessage refused = await PreflightAsync(none, Mine);
        Assert.Equal((HttpStatusCode.Unauthorized, ""), (refused.StatusCode, Header(refused, "Access-Control-Allow-Origin")));
        await using IngressUnderTest ingress = await StartAsync(origins: Listed);
        using HttpResponseMessage rebound = await SendAsync(
            ingress, HttpMethod.Post, "/v1/immortals/shop/Order", Mine, ("Host", "evil.example"));
        Assert.Equal((HttpStatusCode.Unauthorized, ""), (rebound.StatusCode, Header(rebound, "Access-Control-Allow-Origin")));
        Assert.Empty(ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task A_page_needs_a_token_where_callers_do_and_sees_that_it_was_refused()
    {
        await using IngressUnderTest ingress = await StartAsync(tokens: Load(), origins: "*");
        using HttpResponseMessage asked = await PreflightAsync(ingress, "https://any.example");
        Assert.Equal(HttpStatusCode.NoContent, asked.StatusCode);
        using HttpResponseMessage refused = await CallAsync(ingress, "https://any.example");
        Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
        Assert.Equal("https://any.example", Header(refused, "Access-Control-Allow-Origin"));
        Assert.Equal("Origin", Header(refused, "Vary"));
        Assert.Contains("IC-7013", await refused.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        using HttpResponseMessage called = await CallAsync(ingress, "https://any.example", ("Authorization", "Bearer one"));
        Assert.Equal(HttpStatusCode.NoContent, called.StatusCode);
    }

    [Fact]
    public async Task A_page_completes_an_awakeable_only_from_a_listed_origin()
    {
        await using IngressUnderTest ingress = await StartAsync(origins: Listed);
        foreach ((string origin, bool expected) in new[] { (Mine, true), ("http://evil.example", false) })
        {
            using HttpResponseMessage asked = await PreflightAsync(ingress, origin, "/v1/awakeables/abc");
            Assert.Equal(expected, asked.StatusCode == HttpStatusCode.NoContent);
            Assert.Equal(expected ? origin : "", Header(asked, "Access-Control-Allow-Origin"));
        }
    }

    [Theory]
    [InlineData("none", "none")]
    [InlineData("*", "*")]
    [InlineData("https://SHOP.example:443, http://localhost:5173", "https://shop.example,http://localhost:5173")]
    [InlineData("http://[::1]:80", "http://[::1]")]
    [InlineData("https://shop.example/", null)]
    [InlineData("https://shop.example/page", null)]
    [InlineData("https://shop.example,", null)]
    [InlineData("https://ann@shop.example", null)]
    [InlineData("https://*.shop.example", null)]
    [InlineData("shop.example", null)]
    [InlineData("ftp://shop.example", null)]
    [InlineData("null", null)]
    [InlineData("", null)]
    [InlineData("https://shop.example,*", null)]
    public void Origins_are_read_as_browsers_write_them(string text, string? expected) =>
        Assert.Equal(expected, IngressOrigins.TryParse(text)?.ToString());

    [Fact]
    public void Pages_of_all_origins_may_call_only_with_tokens()
    {
        string[] arguments = ["--instance-name=b", "--ingress=127.0.0.1:80", "--ingress-origins=*"];
        OptionError[] found = [];
        try
        {
            Configuration.Read(arguments, static _ => null);
        }
        catch (OptionsException error)
        {
            found = [.. error.Errors];
        }

        Assert.Equal(["IC-1004"], found.Select(static each => each.Code));
        Assert.Contains("give --ingress-tokens", found[0].ToString(), StringComparison.Ordinal);
        Assert.True(Configuration.Read([.. arguments, "--ingress-tokens=/callers"], static _ => null).Options.IngressOrigins.IsAll);
    }

    private static Task<HttpResponseMessage> PreflightAsync(
        IngressUnderTest ingress, string origin, string path = "/v1/immortals/shop/Order") => SendAsync(
        ingress, HttpMethod.Options, path, origin, ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type,idempotency-key"), ("Sec-Fetch-Mode", "cors"));

    private static Task<HttpResponseMessage> CallAsync(
        IngressUnderTest ingress, string origin, params (string Name, string Value)[] headers) => SendAsync(
        ingress, HttpMethod.Post, "/v1/immortals/shop/Order", origin, [.. headers, ("Sec-Fetch-Site", "cross-site")]);

    private static async Task<HttpResponseMessage> SendAsync(
        IngressUnderTest ingress, HttpMethod method, string path, string origin, params (string Name, string Value)[] headers)
    {
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(method, new Uri(ingress.Address, path));
        if (method == HttpMethod.Post)
        {
            request.Content = new StringContent("""{"item":"x"}""", Encoding.UTF8, "application/json");
        }

        foreach ((string name, string value) in headers.Append(("Origin", origin)).Where(static header => header.Item2.Length > 0))
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }

        return await client.SendAsync(request);
    }

    private static string Header(HttpResponseMessage answer, string name) =>
        answer.Headers.TryGetValues(name, out IEnumerable<string>? values) ? string.Join(", ", values) : "";

    private IngressTokens Load()
    {
        File.WriteAllText(_file, $"alice {Convert.ToHexString(SHA256.HashData("one"u8))}\n");
        return IngressTokens.Load(_file, TimeProvider.System, NullLogger.Instance);
    }
}
