using System.Net;
using System.Text;
using System.Text.Json;
using Ambrosia.EndToEnd.Tests.Driving;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>A handler waits for people while its coordinator and its app are killed: it gets what they say, once, in each life.</summary>
public sealed class AwakeableTests(ITestOutputHelper output) : IDisposable
{
    private const string Name = "clerk";
    private const string Yes = """{"Yes":true,"Weight":"1.50"}""";
    private const string No = """{"Yes":false,"Weight":"2"}""";
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(90);
    private readonly OutsideNode _node = new(Name);
    private readonly HttpClient _client = new();

    public void Dispose() => _client.Dispose();

    [Fact]
    public async Task What_people_say_arrives_once_whatever_is_killed()
    {
        await using var sandbox = new Sandbox(output);
        Child coordinator = StartCoordinator(sandbox);
        Child app = _node.StartApp(sandbox, ("E2E_VERSION", "bystander"));
        string first = await AskAsync("first"), second = await AskAsync("second");
        await WaitsForAsync(sandbox, first, second);
        await app.KillAsync();
        await coordinator.KillAsync();
        coordinator = StartCoordinator(sandbox);
        app = _node.StartApp(sandbox, ("E2E_VERSION", "bystander"));
        Task saying = SayAsync(first, Yes, HttpStatusCode.OK, "true"); // While everything is just starting, and while it dies once more.
        await Task.Delay(300);
        await coordinator.KillAsync();
        coordinator = StartCoordinator(sandbox);
        await saying;
        await SayAsync(first, Yes, HttpStatusCode.OK, "true");
        await SayAsync(first, No, HttpStatusCode.Gone, "IC-7020");
        await SayAsync(first[..^3] + "AAA", Yes, HttpStatusCode.NotFound, "IC-7019");
        Assert.Equal(["first: True 1.50"], await AnswersAsync());
        await app.KillAsync();
        await coordinator.KillAsync();
        coordinator = StartCoordinator(sandbox);
        app = _node.StartApp(sandbox, ("E2E_VERSION", "bystander"));
        await SayAsync(first, Yes, HttpStatusCode.OK, "true");
        await SayAsync(first, No, HttpStatusCode.Gone, "IC-7020");
        await SayAsync(second, No, HttpStatusCode.OK, "true");
        Assert.Equal(["first: True 1.50", "second: False 2"], await AnswersAsync());
        await WaitsForAsync(sandbox);
        await app.KillAsync();
        await coordinator.KillAsync();
        await sandbox.PassedAsync();
    }

    private Child StartCoordinator(Sandbox sandbox) => _node.StartCoordinator(sandbox, "--admin", "unix:" + AdminOf(sandbox));

    private static string AdminOf(Sandbox sandbox) => Path.Combine(sandbox.Folder, Name + ".admin");

    // Of the awakeables it says that there are, and not what completes them.
    private static async Task WaitsForAsync(Sandbox sandbox, params string[] urls)
    {
        JsonElement waiting = await Admin.WaitingAsync(AdminOf(sandbox));
        Assert.True(waiting.GetProperty("told").GetBoolean(), waiting.ToString());
        Assert.Equal(urls.Length, waiting.GetProperty("awakeables").GetInt32());
        Assert.All(waiting.GetProperty("oldestAwakeables").EnumerateArray(), static each =>
            Assert.Equal(("EndToEnd.PeoplesAnswer", "WaitAsync"), (each.GetProperty("type").GetString(),
                each.GetProperty("awaitedBy").GetString())));
        Assert.All(urls, url => Assert.DoesNotContain(url[(url.LastIndexOf('/') + 1)..], waiting.ToString(), StringComparison.Ordinal));
    }

    private async Task<string> AskAsync(string question) => JsonSerializer.Deserialize<string>(
        await SayAsync(Call("Ask"), $$"""{"question":"{{question}}"}""", HttpStatusCode.OK,
            $"http://127.0.0.1:{_node.Port}/v1/awakeables/"))!;

    private async Task<string[]> AnswersAsync() =>
        JsonSerializer.Deserialize<string[]>(await SayAsync(Call("Answers"), "{}", HttpStatusCode.OK, "["))!;

    private string Call(string method) => $"http://127.0.0.1:{_node.Port}/v1/immortals/{Name}/{method}";

    // Until there is a last word.
    private async Task<string> SayAsync(string url, string body, HttpStatusCode status, string part)
    {
        string text = "";
        await Wait.UntilAsync($"{url} takes {body}", async () =>
        {
            try
            {
                using var content = new StringContent(body, Encoding.UTF8, "application/json");
                using HttpResponseMessage answer = await _client.PostAsync(url, content);
                text = await answer.Content.ReadAsStringAsync();
                bool isLast = answer.StatusCode is not (HttpStatusCode.Accepted or HttpStatusCode.ServiceUnavailable
                    or HttpStatusCode.GatewayTimeout);
                Assert.True(!isLast || (answer.StatusCode == status && text.Contains(part, StringComparison.Ordinal)),
                    $"{answer.StatusCode}: {text}");
                return isLast;
            }
            catch (HttpRequestException)
            {
                return false; // The coordinator was killed.
            }
        }, s_patience);
        return text;
    }
}
