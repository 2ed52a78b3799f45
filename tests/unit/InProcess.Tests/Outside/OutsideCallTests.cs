using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Ambrosia.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.InProcess.Tests.Outside;

/// <summary>Calls over HTTP and JSON, to an immortal and its log: real threads, sockets and files.</summary>
public sealed class OutsideCallTests : IDisposable
{
    private const string All = """
        {"Yes":true,"Tiny":-128,"Small":255,"Short":-32768,"Word":65535,"Whole":-2147483648,"Positive":4294967295,"Long":"-9223372036854775808",
        "Large":"18446744073709551615","Huge":"-170141183460469231731687303715884105728","Vast":"340282366920938463463374607431768211455",
        "Endless":"123456789012345678901234567890123456789012345678901234567890","Half":0.5,"Single":0.1,"Double":1.7976931348623157E+308,
        "Decimal":"-79228162514264337593543950335","Char":"ß","Text":"a\"\n<é>","Uri":"http://a/b?c=d","Version":"1.2.3.4",
        "Id":"0f8fad5b-d9cb-469f-a165-70867728950e","Bytes":"AQIDBA==","Time":"0001-01-01T00:00:00.0000001Z","Clock":"9999-12-31T23:59:59.9999999+14:00",
        "Date":"2026-11-26","TimeOfDay":"23:59:59.9999999","Span":"-P10675199DT2H48M5.4775808S","Colour":"Red",
        "Lines":[{"Item":"tea","Price":"12.50","Colour":"Blue"},{"Item":"","Price":"0","Colour":"Red"}],"ByColour":{"Red":[1,2],"Blue":[]},
        "ByDate":{"2026-01-02":[1,null],"0001-01-01":[2,"x"]},"Set":["a","b"],"Payment":{"$type":"Card","Number":"4711"},"Inner":null}
        """;

    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-outside-").FullName;
    private readonly int _port = FreePorts.One();

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Every_type_arrives_as_the_app_reads_it_and_comes_back_as_it_was_sent()
    {
        using IHost host = await StartAsync();
        string inner = All.Replace("\"Inner\":null", $"\"Inner\":{All}", StringComparison.Ordinal)
            .Replace("{\"$type\":\"Card\",\"Number\":\"4711\"}", "{\"$type\":\"Cash\",\"Coins\":5,\"Notes\":\"2.0\"}",
                StringComparison.Ordinal);
        foreach (string value in new[] { All, inner })
        {
            (HttpStatusCode status, string text) = await CallAsync("Say", $"{{\"all\":{value}}}", null);
            Assert.True(status == HttpStatusCode.OK, text);
            Assert.Equal(Compact(value), Compact(text));
        }

        await host.StopAsync();
    }

    [Fact]
    public async Task A_call_runs_once_for_its_key_in_this_life_and_the_next()
    {
        string key = $"\"count\";t={DateTimeOffset.UtcNow.ToUnixTimeSeconds()}";
        using (IHost host = await StartAsync())
        {
            Assert.Equal((HttpStatusCode.OK, "5\n"), await CallAsync("Count", """{"by":5}""", key));
            Assert.Equal((HttpStatusCode.OK, "5\n"), await CallAsync("Count", """{"by":5}""", key));
            Assert.Equal(HttpStatusCode.Conflict, (await CallAsync("Count", """{"by":6}""", key)).Status);
            Assert.Equal((HttpStatusCode.OK, "6\n"), await CallAsync("Count", "{}", null));
            Assert.Equal((HttpStatusCode.OK, "\"3.0\"\n"),
                await CallAsync("Later", """{"price":1.5}""", key.Replace("count", "later", StringComparison.Ordinal)));
            await host.StopAsync();
        }

        using (IHost host = await StartAsync())
        {
            Assert.Equal((HttpStatusCode.OK, "5\n"), await CallAsync("Count", """{"by":5}""", key));
            Assert.Equal((HttpStatusCode.OK, "5\n"), await AskAsync(key));
            Assert.Equal((HttpStatusCode.OK, "7\n"), await CallAsync("Count", "{}", null));
            Assert.Equal(HttpStatusCode.NoContent, (await CallAsync("Forget", "", null)).Status);
            Assert.Equal((HttpStatusCode.OK, "1\n"), await CallAsync("Count", "{}", null));
            await host.StopAsync();
        }
    }

    [Fact]
    public async Task The_exception_of_a_handler_is_its_answer_each_time()
    {
        using IHost host = await StartAsync();
        string key = $"\"loud\";t={DateTimeOffset.UtcNow.ToUnixTimeSeconds()}";
        (HttpStatusCode status, string first) = await CallAsync("Count", """{"by":101}""", key);
        Assert.Equal(HttpStatusCode.UnprocessableEntity, status);
        Assert.Equal((status, first), await CallAsync("Count", """{"by":101}""", key));
        using JsonDocument problem = JsonDocument.Parse(first);
        Assert.Equal("101 is too loud", problem.RootElement.GetProperty("detail").GetString());
        Assert.Equal(101, problem.RootElement.GetProperty("exception").GetProperty("data").GetProperty("By").GetInt64());
        Assert.DoesNotContain("   at ", first, StringComparison.Ordinal);
        await host.StopAsync();
    }

    [Fact] // outside-calls.md X27
    public async Task Without_a_log_a_key_of_the_start_before_never_runs_again()
    {
        string key = $"\"count\";t={DateTimeOffset.UtcNow.ToUnixTimeSeconds()}";
        string first = await CountedInMemoryAsync(key);
        string second = await CountedInMemoryAsync(key, former: first);
        Assert.NotEqual(first, second);
    }

    // In a start of its own: what a key without an id, with that of the start before, and with that of this start is told.
    private async Task<string> CountedInMemoryAsync(string key, string? former = null)
    {
        using IHost host = await StartAsync("memory:");
        (HttpStatusCode status, string text) = await CallAsync("Count", """{"by":5}""", key);
        Assert.Equal(HttpStatusCode.BadRequest, status);
        using JsonDocument problem = JsonDocument.Parse(text);
        Assert.Equal("IC-7028", problem.RootElement.GetProperty("code").GetString());
        string named = problem.RootElement.GetProperty("detail").GetString()!.Split("id=")[1];
        if (former is not null)
        {
            Assert.Equal(HttpStatusCode.Gone, (await CallAsync("Count", """{"by":5}""", $"{key};id={former}")).Status);
            Assert.Equal(HttpStatusCode.Gone, (await AskAsync($"{key};id={former}")).Status);
        }

        Assert.Equal((HttpStatusCode.OK, "5\n"), await CallAsync("Count", """{"by":5}""", $"{key};id={named}"));
        Assert.Equal((HttpStatusCode.OK, "5\n"), await CallAsync("Count", """{"by":5}""", $"{key};id={named}"));

        // A session that goes on after the restart, of which this start knows nothing.
        string session = $"\"session\"{key[7..]};n=501;low=500;id={named}";
        Assert.Equal((HttpStatusCode.OK, "6\n"), await CallAsync("Count", "{}", session));
        await host.StopAsync();
        return named;
    }

    private static string Compact(string json)
    {
        using JsonDocument document = JsonDocument.Parse(json);
        return JsonSerializer.Serialize(document.RootElement);
    }

    private async Task<IHost> StartAsync(string? store = null)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddLogging(static logging => logging.SetMinimumLevel(LogLevel.None));
        builder.Services.AddInProcessCoordinator(options =>
            (options.Store, options.Catalog) = (store ?? $"file:{_folder}/store", $"file:{_folder}/catalog"))
            .AddImmortal<Parrot>("parrot", options => options.Ingress = $"127.0.0.1:{_port}");
        IHost host = builder.Build();
        await host.StartAsync();
        return host;
    }

    private Task<(HttpStatusCode Status, string Text)> CallAsync(string method, string body, string? key) =>
        SendAsync(HttpMethod.Post, $"v1/immortals/parrot/{method}", body, key);

    private Task<(HttpStatusCode Status, string Text)> AskAsync(string key) =>
        SendAsync(HttpMethod.Get, $"v1/calls/{Uri.EscapeDataString(key)}?method=Count", null, null);

    // The address is there before the app: until that has said what it takes, and while nobody listens, a call may be repeated.
    private async Task<(HttpStatusCode Status, string Text)> SendAsync(HttpMethod method, string path, string? body, string? key)
    {
        using var client = new HttpClient();
        for (int left = 600; ; left--)
        {
            using var request = new HttpRequestMessage(method, $"http://127.0.0.1:{_port}/{path}");
            request.Content = body is null ? null : new StringContent(body, Encoding.UTF8, "application/json");
            if (key is not null)
            {
                request.Headers.TryAddWithoutValidation("Idempotency-Key", key);
            }

            try
            {
                using HttpResponseMessage answer = await client.SendAsync(request);
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
