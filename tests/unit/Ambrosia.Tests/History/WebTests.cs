using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;
using Ambrosia.TimeTravel;
using TimeTravelApp;

namespace Ambrosia.Cli.Tests.History;

/// <summary>What <c>ambrosia debug --web</c> answers over HTTP; the page itself is tested in a browser (tests/system/WebPage).</summary>
public sealed class WebTests : IAsyncLifetime, IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private readonly HttpClient _http = new(new SocketsHttpHandler { AllowAutoRedirect = false }) { Timeout = s_patience };
    private DiceLog? _log;
    private Process? _server;
    private string _page = "";
    private string _token = "";

    public async Task InitializeAsync()
    {
        _log = await DiceLog.MakeAsync(Fickleness.None);
        string command = typeof(AmbrosiaCommand).Assembly.Location;
        _server = Process.Start(new ProcessStartInfo("dotnet", [command, "debug", "dice", "--log", _log.Folder, "--web",
            "--normal-priority", "--", .. DiceLog.Program(Fickleness.None).Split(' ')])
        {
            RedirectStandardOutput = true,
        })!;
        string? line = await _server.StandardOutput.ReadLineAsync().WaitAsync(s_patience);
        Match said = Regex.Match(line ?? "", "(http://127.0.0.1:[0-9]+/page/)#token=([0-9A-F]{64}) ");
        Assert.True(said.Success, line);
        (_page, _token) = (said.Groups[1].Value, said.Groups[2].Value);
        _http.DefaultRequestHeaders.Add("Authorization", "Bearer " + _token);
        while (!(await AskAsync("api/log")).GetProperty("complete").GetBoolean())
        {
        }
    }

    public Task DisposeAsync() => Task.CompletedTask;

    public void Dispose()
    {
        _server?.Kill(entireProcessTree: true);
        _server?.Dispose();
        _http.Dispose();
        _log?.Dispose();
    }

    [Theory]
    [InlineData("INT", 0)]
    [InlineData("TERM", 0)]
    [InlineData("KILL", 128 + 9)]
    public async Task A_signal_that_ends_it_ends_the_replayed_app_too(string signal, int code)
    {
        int app = int.Parse(Directory.GetDirectories($"/proc/{_server!.Id}/task").SelectMany(static task =>
            File.ReadAllText(task + "/children").Split(' ', StringSplitOptions.RemoveEmptyEntries)).Single(), CultureInfo.InvariantCulture);
        Assert.True(Directory.Exists($"/proc/{app}"));
        using (Process kill = Process.Start("kill", ["-" + signal, _server.Id.ToString(CultureInfo.InvariantCulture)]))
        {
            await kill.WaitForExitAsync();
        }

        await _server.WaitForExitAsync().WaitAsync(s_patience);
        Assert.Equal(code, _server.ExitCode);
        for (var watch = Stopwatch.StartNew(); Directory.Exists($"/proc/{app}"); await Task.Delay(20))
        {
            Assert.True(watch.Elapsed < s_patience, "the app is still there");
        }
    }

    [Fact]
    public async Task The_page_comes_whole_from_here_and_may_load_nothing_from_elsewhere()
    {
        using HttpResponseMessage answer = await _http.GetAsync(_page);
        string html = await answer.Content.ReadAsStringAsync();
        Assert.StartsWith("default-src 'none'; script-src 'self';", answer.Headers.GetValues("Content-Security-Policy").Single(),
            StringComparison.Ordinal);
        string[] files = [.. Regex.Matches(html, "(?:src|href)=\"([^\"]+)\"").Select(static match => match.Groups[1].Value).Distinct()];
        Assert.Contains("main.js", files);
        foreach (string file in files)
        {
            using HttpResponseMessage part = await _http.GetAsync(_page + file);
            Assert.Equal(HttpStatusCode.OK, part.StatusCode);
        }

        Assert.DoesNotContain("http", html.Replace("http-equiv", "", StringComparison.Ordinal), StringComparison.Ordinal);
        using HttpResponseMessage none = await _http.GetAsync(_page + "../page/nothing.js");
        Assert.Equal(HttpStatusCode.NotFound, none.StatusCode);
        using HttpResponseMessage root = await _http.GetAsync(new Uri(new Uri(_page), "/"));
        Assert.Equal("/page/", root.Headers.Location?.ToString());
    }

    [Fact]
    public async Task Only_this_machine_and_this_page_are_answered_and_only_the_page_moves_the_replay()
    {
        Assert.Equal(HttpStatusCode.Forbidden, await CodeAsync(HttpMethod.Get, "", host: "evil.example"));
        Assert.Equal(HttpStatusCode.Forbidden, await CodeAsync(HttpMethod.Get, "api/log", origin: "http://evil.example"));
        Assert.Equal(HttpStatusCode.MethodNotAllowed, await CodeAsync(HttpMethod.Get, "api/command?line=step"));
        Assert.Equal(HttpStatusCode.MethodNotAllowed, await CodeAsync(HttpMethod.Post, "api/log"));
        Assert.Equal(HttpStatusCode.OK, await CodeAsync(HttpMethod.Post, "api/command?line=where"));
        Assert.Equal(HttpStatusCode.NotFound, await CodeAsync(HttpMethod.Get, "api/log?log=../../etc"));
    }

    [Theory]
    [InlineData("GET", "api/log")]
    [InlineData("GET", "api/messages?from=0&n=5")]
    [InlineData("GET", "api/status")]
    [InlineData("GET", "api/nothing")]
    [InlineData("POST", "api/command?line=step")]
    [InlineData("POST", "api/effect?p=1:0")]
    [InlineData("GET", "../elsewhere")]
    public async Task Another_user_of_the_machine_is_refused_and_finds_the_token_in_no_file_of_the_page(string method, string path)
    {
        _http.DefaultRequestHeaders.Authorization = null;
        Assert.Equal(HttpStatusCode.Unauthorized, await CodeAsync(new HttpMethod(method), path));
        Assert.Equal(HttpStatusCode.Unauthorized, await CodeAsync(new HttpMethod(method), path, token: new string('0', 64)));
        foreach (string file in (string[])["", "index.html", "api.js", "main.js"])
        {
            Assert.DoesNotContain(_token, await _http.GetStringAsync(_page + file), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Bars_and_rows_count_the_same_messages_with_and_without_filters()
    {
        JsonElement log = await AskAsync("api/log");
        long messages = log.GetProperty("end").GetInt64();
        // This process is alive, so the log counts as live: its last record is not proven durable.
        Assert.InRange(messages, DiceLog.Rolls - 16, DiceLog.Rolls + 16);
        Assert.Equal("dice", log.GetProperty("instance").GetString());
        Assert.Equal(messages, (await AskAsync("api/buckets?n=100")).GetProperty("total").GetInt64());
        JsonElement counts = (await AskAsync("api/buckets?n=7&kinds=impulse")).GetProperty("counts");
        Assert.InRange(counts.GetProperty("impulse").EnumerateArray().Sum(static one => one.GetInt32()), DiceLog.Rolls - 16, DiceLog.Rolls);
        Assert.Single(counts.EnumerateObject());
        long from = 0;
        long seen = 0;
        while ((await AskAsync($"api/messages?from={from}&n=150")).GetProperty("rows") is var rows && rows.GetArrayLength() > 0)
        {
            seen += rows.GetArrayLength();
            from = rows[rows.GetArrayLength() - 1].GetProperty("o").GetInt64() + 1;
        }

        Assert.Equal(messages, seen);
        Position place = await _log!.FindAsync(123);
        JsonElement answer;
        do
        {
            answer = await AskAsync("api/messages?n=50&kinds=impulse&text=123"); // Looked for a slice at a time.
        }
        while (answer.GetProperty("searched").GetDouble() < 1);

        JsonElement found = answer.GetProperty("rows");
        JsonElement row = Assert.Single(found.EnumerateArray(), row => row.GetProperty("p").GetString() == place.ToString());
        Assert.All(found.EnumerateArray(), static row =>
            Assert.Contains("123", row.GetProperty("content").GetString(), StringComparison.Ordinal));
        Assert.Equal("number: 123", row.GetProperty("content").GetString());
        JsonElement before = (await AskAsync($"api/messages?before={row.GetProperty("o")}&n=1")).GetProperty("rows");
        Assert.Equal(row.GetProperty("o").GetInt64() - 1, before[0].GetProperty("o").GetInt64());
    }

    [Fact]
    public async Task A_message_tells_what_it_caused_what_it_changed_and_which_number_its_outputs_have()
    {
        string position = (await _log!.FindAsync(200)).ToString();
        JsonElement details = await AskAsync($"api/message?p={position}");
        Assert.Equal("[\n  200\n]", details.GetProperty("body").GetString()!.ReplaceLineEndings("\n"));
        JsonElement sent = Assert.Single(details.GetProperty("outputs").EnumerateArray());
        Assert.Equal("player", sent.GetProperty("to").GetString());
        JsonElement effect = await PostAsync($"api/effect?p={position}");
        JsonElement output = Assert.Single(effect.GetProperty("outputs").EnumerateArray());
        Assert.Contains("200 steady", output.GetProperty("content").GetString(), StringComparison.Ordinal);
        Assert.Contains(effect.GetProperty("differences").EnumerateArray(), static one =>
            one.GetProperty("path").GetString() == "state._rolls.side 2" && one.GetProperty("after").GetString() == "200");
        Assert.Equal(position, effect.GetProperty("at").GetString());

        // Every roll sends one message to the player, so the number of this one is the rolls up to here.
        long rolls = (await AskAsync($"api/buckets?n=1&kinds=impulse&t1={Time(details)}")).GetProperty("total").GetInt64();
        int index = int.Parse(position.Split(':')[1], System.Globalization.CultureInfo.InvariantCulture);
        long number = sent.GetProperty("first").GetInt64() + output.GetProperty("offset").GetInt64();
        Assert.InRange(number, rolls + 1, rolls + index + 1);
        JsonElement source = await AskAsync($"api/source?to=player&number={number}");
        Assert.Equal(position.Split(':')[0] + ":0", source.GetProperty("p").GetString());
    }

    [Fact]
    public async Task The_replay_is_moved_by_commands_and_says_when_it_cannot()
    {
        string position = (await _log!.FindAsync(50)).ToString();
        Assert.Equal(position, (await PostAsync($"api/command?line={Uri.EscapeDataString("goto " + position)}")).GetProperty("at")
            .GetString());
        Assert.NotEqual(position, (await PostAsync("api/command?line=back")).GetProperty("at").GetString());
        Assert.Equal(position, (await PostAsync("api/command?line=step")).GetProperty("at").GetString());
        JsonElement wrong = await PostAsync("api/command?line=dance");
        Assert.True(wrong.GetProperty("failed").GetBoolean());
        Assert.Contains("help lists them", wrong.GetProperty("text").GetString(), StringComparison.Ordinal);
        JsonElement beyond = await PostAsync("api/effect?p=999999:0");
        Assert.True(beyond.GetProperty("failed").GetBoolean());
    }

    // A little earlier than the record: milliseconds as a script counts them do not tell 100 ns apart.
    private static string Time(JsonElement details) =>
        (details.GetProperty("t").GetDouble() - 0.01).ToString("R", System.Globalization.CultureInfo.InvariantCulture);

    private async Task<JsonElement> AskAsync(string path) => JsonDocument.Parse(await _http.GetStringAsync(_page + path)).RootElement;

    private async Task<JsonElement> PostAsync(string path)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, _page + path);
        using HttpResponseMessage answer = await _http.SendAsync(request);
        return JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement;
    }

    private async Task<HttpStatusCode> CodeAsync(HttpMethod method, string path, string? host = null, string? origin = null,
        string? token = null)
    {
        using var request = new HttpRequestMessage(method, _page + path);
        request.Headers.Host = host;
        if (origin is not null)
        {
            request.Headers.Add("Origin", origin);
        }

        if (token is not null)
        {
            request.Headers.Add("Authorization", "Bearer " + token);
        }

        using HttpResponseMessage answer = await _http.SendAsync(request);
        return answer.StatusCode;
    }
}
