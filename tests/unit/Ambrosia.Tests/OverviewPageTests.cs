using System.Diagnostics;
using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Ambrosia.Cli.Tests;

/// <summary>What <c>ambrosia top --web</c> answers over HTTP; the page itself is tested in a browser (tests/system/WebPage).</summary>
public sealed class OverviewPageTests : IAsyncLifetime, IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private readonly CommandFixture _command = new();
    private readonly HttpClient _http = new(new SocketsHttpHandler { AllowAutoRedirect = false }) { Timeout = s_patience };
    private Process? _server;
    private string _page = "";

    public async Task InitializeAsync()
    {
        await _command.MakeInstanceAsync("bank");
        var start = new ProcessStartInfo("dotnet", [typeof(AmbrosiaCommand).Assembly.Location, "top", "--web"])
            { RedirectStandardOutput = true };
        (start.Environment["AMBROSIA_HOME"], start.Environment["XDG_RUNTIME_DIR"]) = (_command.Home, _command.Home);
        _server = Process.Start(start)!;
        string? line = await _server.StandardOutput.ReadLineAsync().WaitAsync(s_patience);
        Match said = Regex.Match(line ?? "", "(http://127.0.0.1:[0-9]+/page/)all.html#token=([0-9A-F]{64}) ");
        Assert.True(said.Success, line);
        _page = said.Groups[1].Value;
        _http.DefaultRequestHeaders.Add("Authorization", "Bearer " + said.Groups[2].Value);
    }

    public Task DisposeAsync() => Task.CompletedTask;

    public void Dispose()
    {
        _server?.Kill();
        _server?.Dispose();
        _http.Dispose();
        _command.Dispose();
    }

    [Fact]
    public async Task All_instances_are_told_and_the_page_comes_whole_from_here()
    {
        using HttpResponseMessage answer = await _http.GetAsync(_page + "api/instances");
        JsonElement row = Assert.Single(JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement.EnumerateArray());
        Assert.Equal(("bank", "stopped", false),
            (row.GetProperty("instance").GetString(), row.GetProperty("role").GetString(), row.GetProperty("answers").GetBoolean()));

        using HttpResponseMessage page = await _http.GetAsync(_page + "all.html");
        Assert.StartsWith("default-src 'none';", page.Headers.GetValues("Content-Security-Policy").Single(), StringComparison.Ordinal);
        foreach (Match file in Regex.Matches(await page.Content.ReadAsStringAsync(), "(?:src|href)=\"([^\"]+)\""))
        {
            using HttpResponseMessage part = await _http.GetAsync(_page + file.Groups[1].Value);
            Assert.Equal(HttpStatusCode.OK, part.StatusCode);
        }

        using HttpResponseMessage root = await _http.GetAsync(new Uri(new Uri(_page), "/"));
        Assert.Equal("/page/all.html", root.Headers.Location?.ToString());
    }

    [Theory]
    [InlineData("GET", "api/instances")]
    [InlineData("GET", "api/instance?name=bank")]
    [InlineData("GET", "api/waiting?name=bank")]
    [InlineData("POST", "api/checkpoint?name=bank")]
    [InlineData("POST", "api/retry?name=bank")]
    [InlineData("POST", "api/deadletter?name=bank&message=1:0&decision=drop")]
    public async Task Without_the_token_nothing_is_told_and_nothing_done(string method, string path)
    {
        _http.DefaultRequestHeaders.Remove("Authorization");
        Assert.Equal(HttpStatusCode.Unauthorized, (await AskAsync(method, path)).Code);
        _http.DefaultRequestHeaders.Add("Authorization", "Bearer " + new string('0', 64));
        Assert.Equal(HttpStatusCode.Unauthorized, (await AskAsync(method, path)).Code);
    }

    [Theory]
    [InlineData("GET", "api/instance?name=nobody", HttpStatusCode.Conflict, "There is no instance 'nobody'")]
    [InlineData("GET", "api/instance?name=..%2Fetc", HttpStatusCode.Conflict, "'../etc'")]
    [InlineData("GET", "api/waiting?name=..%2Fetc", HttpStatusCode.Conflict, "'../etc'")]
    [InlineData("GET", "api/instance", HttpStatusCode.Conflict, "''")]
    [InlineData("POST", "api/checkpoint?name=bank", HttpStatusCode.Conflict, "No coordinator answers")]
    [InlineData("POST", "api/checkpoint?name=..%2Fetc", HttpStatusCode.Conflict, "'../etc'")]
    [InlineData("POST", "api/deadletter?name=bank&message=1:0&decision=keep", HttpStatusCode.Conflict, "Name a message as in 17:3")]
    [InlineData("POST", "api/deadletter?name=bank&message=..%2Fx&decision=drop", HttpStatusCode.Conflict, "Name a message as in 17:3")]
    [InlineData("GET", "api/checkpoint?name=bank", HttpStatusCode.NotFound, "nothing of this name")]
    [InlineData("POST", "all.html", HttpStatusCode.NotFound, "nothing of this name")]
    public async Task What_cannot_be_done_is_answered_with_a_sentence(string method, string path, HttpStatusCode code, string said)
    {
        (HttpStatusCode answered, string text) = await AskAsync(method, path);
        Assert.Equal(code, answered);
        Assert.Contains(said, text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Other_pages_and_names_of_this_machine_are_refused()
    {
        Assert.Equal(HttpStatusCode.Forbidden,
            (await AskAsync("POST", "api/checkpoint?name=bank", ("Origin", "http://evil.example"))).Code);
        Assert.Equal(HttpStatusCode.Forbidden, (await AskAsync("GET", "api/instances", ("Host", "evil.example"))).Code);
    }

    private async Task<(HttpStatusCode Code, string Text)> AskAsync(string method, string path,
        params (string Name, string Value)[] headers)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), _page + path);
        foreach ((string name, string value) in headers)
        {
            request.Headers.Add(name, value);
        }

        using HttpResponseMessage answer = await _http.SendAsync(request);
        return (answer.StatusCode, await answer.Content.ReadAsStringAsync());
    }
}
