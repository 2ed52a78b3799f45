using System.Net;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.CoordinatorHost.Ingress;
using Microsoft.Extensions.Logging.Abstractions;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>The page at the address for calls from outside; tests/system/WebPage calls from it in a browser.</summary>
public sealed class IngressPageTests
{
    [Theory]
    [InlineData("/", "text/html", "<!doctype html>")]
    [InlineData("/page/try.js", "text/javascript", "//")]
    [InlineData("/page/page.css", "text/css", ":root")]
    public async Task Without_tokens_there_is_a_page_that_loads_nothing_from_elsewhere(string path, string kind, string start)
    {
        await using IngressUnderTest ingress = await StartAsync();
        using var client = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{ingress.Port}") };
        using HttpResponseMessage page = await client.GetAsync(new Uri(path, UriKind.Relative));

        Assert.Equal((HttpStatusCode.OK, kind), (page.StatusCode, page.Content.Headers.ContentType!.MediaType));
        Assert.StartsWith(start, await page.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        Assert.Contains("default-src 'none'", page.Headers.GetValues("Content-Security-Policy").Single(), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.NotFound, (await ingress.GetAsync("/page/none.js")).Status);
    }

    [Theory]
    [InlineData("/")]
    [InlineData("/page/try.js")]
    public async Task Where_callers_need_tokens_there_is_none(string path)
    {
        string file = Path.GetTempFileName();
        await File.WriteAllTextAsync(file, $"alice {Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes("one")))}\n");
        await using IngressUnderTest ingress = await StartAsync(tokens: IngressTokens.Load(file, TimeProvider.System, NullLogger.Instance));
        File.Delete(file);

        Assert.Equal(HttpStatusCode.Unauthorized, (await ingress.GetAsync(path)).Status);
        Assert.Equal(HttpStatusCode.NotFound, (await ingress.GetAsync(path, "one")).Status);
    }
}
