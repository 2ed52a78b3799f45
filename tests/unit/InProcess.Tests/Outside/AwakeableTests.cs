using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Ambrosia.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.InProcess.Tests.Outside;

/// <summary>Awakeables completed over HTTP, of an immortal and its log: real threads, sockets and files.</summary>
public sealed class AwakeableTests : IDisposable
{
    private const string Yes = """{"Approved":true,"Limit":"12.50","Colour":"Blue"}""";

    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-awakeable-").FullName;
    private readonly int _port = FreePorts.One();

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task It_is_completed_once_in_this_life_and_the_next()
    {
        string first, second, third;
        using (IHost host = await StartAsync())
        {
            first = await AskAsync("first");
            second = await AskAsync("second");
            third = await UrlAsync("Count", """{"name":"third"}""");
            Assert.StartsWith($"http://127.0.0.1:{_port}/v1/awakeables/", first, StringComparison.Ordinal);
            Assert.Equal((HttpStatusCode.OK, "{\"taken\":true}\n"), await PostAsync(first, Yes));
            Assert.Equal((HttpStatusCode.OK, "{\"taken\":true}\n"), await PostAsync(first, Yes));
            await RefusedAsync(HttpStatusCode.Gone, "IC-7020", first, """{"Approved":false,"Limit":0}""");
            Assert.Equal(["first: True 12.50 Blue  False"], await OutcomesAsync());
            await host.StopAsync();
        }

        using (IHost host = await StartAsync())
        {
            Assert.Equal(HttpStatusCode.OK, (await PostAsync(first, Yes)).Status);
            Assert.Equal(HttpStatusCode.OK, (await PostAsync(second, Yes)).Status);
            await RefusedAsync(HttpStatusCode.Gone, "IC-7020", second, """{"Approved":false,"Limit":0}""");
            Assert.Equal(HttpStatusCode.OK, (await PostAsync(third, "null")).Status);
            Assert.Equal(["first: True 12.50 Blue  False", "second: True 12.50 Blue  False", "third: "], await OutcomesAsync());
            await host.StopAsync();
        }
    }

    [Fact]
    public async Task Null_completes_one_whose_type_may_be_null_and_no_other()
    {
        using IHost host = await StartAsync();
        string none = await UrlAsync("Find", """{"name":"none"}"""), some = await UrlAsync("Find", """{"name":"some"}""");
        Assert.Equal((HttpStatusCode.OK, "{\"taken\":true}\n"), await PostAsync(none, "null"));
        Assert.Equal(HttpStatusCode.OK, (await PostAsync(some, """{"Street":"Main"}""")).Status);
        await RefusedAsync(HttpStatusCode.UnprocessableEntity, "IC-7021", await AskAsync("decision"), "null");
        Assert.Equal(["none: nowhere", "some: Main"], await OutcomesAsync());
        await host.StopAsync();
    }

    [Fact]
    public async Task It_can_be_rejected_closed_and_expire()
    {
        using IHost host = await StartAsync();
        string rejected = await AskAsync("rejected"), closed = await AskAsync("closed"), expired = await AskAsync("expired", seconds: 1);
        Assert.Equal(HttpStatusCode.OK, (await PostAsync(rejected + "/reject", """{"reason":"no money"}""")).Status);
        Assert.Equal(HttpStatusCode.OK, (await PostAsync(rejected + "/reject", """{"reason":"no money"}""")).Status);
        await RefusedAsync(HttpStatusCode.Gone, "IC-7020", rejected, Yes);
        Assert.Equal((HttpStatusCode.OK, "true\n"), await CallAsync("Withdraw", """{"name":"closed"}"""));
        Assert.Equal((HttpStatusCode.OK, "false\n"), await CallAsync("Withdraw", """{"name":"closed"}"""));
        await RefusedAsync(HttpStatusCode.Gone, "IC-7020", closed + "/reject", "");
        string[] outcomes = [];
        for (int left = 200; outcomes.Length < 3 && left > 0; left--)
        {
            await Task.Delay(50);
            outcomes = await OutcomesAsync();
        }

        Assert.Equal(
            [
                "rejected: AwakeableRejectedException no money", "closed: OperationCanceledException The awakeable was closed.",
                "expired: AwakeableExpiredException Nobody completed the awakeable before its deadline.",
            ],
            outcomes);
        await RefusedAsync(HttpStatusCode.Gone, "IC-7020", expired, Yes);
        await host.StopAsync();
    }

    [Fact]
    public async Task What_is_no_value_leaves_it_open_and_what_is_no_id_changes_nothing()
    {
        using IHost host = await StartAsync();
        string url = await AskAsync("it");
        await RefusedAsync(HttpStatusCode.UnprocessableEntity, "IC-7021", url, """{"Approved":"maybe"}""");
        await RefusedAsync(HttpStatusCode.UnprocessableEntity, "IC-7021", url, "{");
        await RefusedAsync(HttpStatusCode.UnprocessableEntity, "IC-7021", url + "/reject", """{"because":"no"}""");
        char last = url[^1] == 'A' ? 'Q' : 'A'; // Of the last sign only the first bits count; these two differ in them.
        await RefusedAsync(HttpStatusCode.NotFound, "IC-7019", url[..^1] + last, Yes);
        await RefusedAsync(HttpStatusCode.NotFound, "IC-7019", url + "A", Yes);
        await RefusedAsync(HttpStatusCode.NotFound, "IC-7019", url + "/other", Yes);
        await RefusedAsync(HttpStatusCode.NotFound, "IC-7019", url[..(url.LastIndexOf('/') + 1)], Yes);
        using (var client = new HttpClient())
        {
            Assert.Equal(HttpStatusCode.MethodNotAllowed, (await client.GetAsync(url)).StatusCode);
            using var text = new StringContent(Yes, Encoding.UTF8, "text/plain");
            Assert.Equal(HttpStatusCode.UnsupportedMediaType, (await client.PostAsync(url, text)).StatusCode);
        }

        Assert.Empty(await OutcomesAsync());
        Assert.Equal(HttpStatusCode.OK, (await PostAsync(url, Yes)).Status);
        Assert.Single(await OutcomesAsync());
        await host.StopAsync();
    }

    private async Task<IHost> StartAsync()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddLogging(static logging => logging.SetMinimumLevel(LogLevel.None));
        builder.Services.AddInProcessCoordinator(options =>
            (options.Store, options.Catalog) = ($"file:{_folder}/store", $"file:{_folder}/catalog"))
            .AddImmortal<Clerk>("clerk", options => options.Ingress = $"127.0.0.1:{_port}");
        IHost host = builder.Build();
        await host.StartAsync();
        return host;
    }

    private Task<string> AskAsync(string name, int seconds = 0) => UrlAsync("Ask", $$"""{"name":"{{name}}","seconds":{{seconds}}}""");

    private async Task<string> UrlAsync(string method, string body)
    {
        (HttpStatusCode status, string text) = await CallAsync(method, body);
        Assert.True(status == HttpStatusCode.OK, text);
        return JsonSerializer.Deserialize<string>(text)!;
    }

    private async Task<string[]> OutcomesAsync() => JsonSerializer.Deserialize<string[]>((await CallAsync("Outcomes", "")).Text)!;

    private Task<(HttpStatusCode Status, string Text)> CallAsync(string method, string body) =>
        PostAsync($"http://127.0.0.1:{_port}/v1/immortals/clerk/{method}", body);

    private static async Task RefusedAsync(HttpStatusCode status, string code, string url, string body)
    {
        (HttpStatusCode told, string text) = await PostAsync(url, body);
        Assert.True(told == status && text.Contains($"\"code\":\"{code}\"", StringComparison.Ordinal), $"{told}: {text}");
    }

    // The address is there before the app: until that has said what it takes, and while nobody listens, a call may be repeated.
    private static async Task<(HttpStatusCode Status, string Text)> PostAsync(string url, string body)
    {
        using var client = new HttpClient();
        for (int left = 600; ; left--)
        {
            try
            {
                using var content = new StringContent(body, Encoding.UTF8, "application/json");
                using HttpResponseMessage answer = await client.PostAsync(url, content);
                if (answer.StatusCode != HttpStatusCode.ServiceUnavailable || left == 0)
                {
                    return (answer.StatusCode, await answer.Content.ReadAsStringAsync());
                }
            }
            catch (HttpRequestException error) when (error.InnerException is SocketException && left > 0)
            {
                // Nobody listens yet.
            }

            await Task.Delay(50);
        }
    }
}
