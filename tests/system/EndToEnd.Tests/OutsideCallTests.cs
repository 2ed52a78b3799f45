using System.Globalization;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.EndToEnd.Tests.Driving;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>Calls over HTTP to a coordinator and an app that are killed again and again: each key runs once, and all its answers are
/// equal.</summary>
public sealed class OutsideCallTests(ITestOutputHelper output)
{
    private const string Name = "node";
    private const string Token = "a token that only the test knows";
    private const int Calls = 60;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(90);
    private readonly OutsideNode _node = new(Name);

    [Fact]
    public async Task A_call_with_a_key_runs_once_whatever_is_killed()
    {
        await using var sandbox = new Sandbox(output);
        await File.WriteAllTextAsync(
            Path.Combine(sandbox.Folder, "callers"), $"tester {Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(Token)))}\n");
        Child coordinator = _node.StartCoordinator(sandbox, "--ingress-tokens", Path.Combine(sandbox.Folder, "callers"));
        Child app = _node.StartApp(sandbox);
        using var client = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{_node.Port}") };
        var answers = new string[Calls];
        long born = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        Task calling = Parallel.ForEachAsync(
            Enumerable.Range(0, Calls), new ParallelOptions { MaxDegreeOfParallelism = 4 },
            async (i, _) => answers[i] = await CallAsync(client, "Submit", Body(i), $"\"call-{i}\";t={born}"));
        for (int kills = 0; !calling.IsCompleted && kills < 6; kills++)
        {
            await Task.WhenAny(calling, Task.Delay(700));
            if (kills % 2 == 0)
            {
                await coordinator.KillAsync();
                coordinator = _node.StartCoordinator(sandbox, "--ingress-tokens", Path.Combine(sandbox.Folder, "callers"));
            }
            else
            {
                await app.KillAsync();
                app = _node.StartApp(sandbox);
            }
        }

        await calling.WaitAsync(s_patience);
        for (int i = 0; i < Calls; i++)
        {
            Assert.Equal(answers[i], await CallAsync(client, "Submit", Body(i), $"\"call-{i}\";t={born}"));
        }

        // A request that came twice is a violation, and so is one that did not end.
        string report = await CallAsync(client, "Report", "{}", null);
        Assert.Contains($"\"Begun\":{Calls},\"Ended\":{Calls},", report, StringComparison.Ordinal);
        Assert.Contains("\"Violations\":[]", report, StringComparison.Ordinal);
        await RequireQueryAsync(client, report);
        Assert.Equal(HttpStatusCode.Unauthorized, (await client.GetAsync(new Uri("/openapi.json", UriKind.Relative))).StatusCode);
        await app.KillAsync();
        await coordinator.KillAsync();
        await sandbox.PassedAsync();
    }

    // A query says the same, without the log, and after which record; what is asked for that does not exist yet is waited for.
    private static async Task RequireQueryAsync(HttpClient client, string report)
    {
        using HttpResponseMessage answer = await AskAsync("");
        Assert.Equal(report, await answer.Content.ReadAsStringAsync());
        ulong record = ulong.Parse(answer.Headers.GetValues("Ambrosia-Record").Single(), CultureInfo.InvariantCulture);
        Assert.InRange(record, 2ul, ulong.MaxValue);
        using HttpResponseMessage known = await AskAsync($"?at-least={record}");
        Assert.Equal(HttpStatusCode.OK, known.StatusCode);
        using HttpResponseMessage late = await AskAsync($"?at-least={record + 1000}&wait=300ms");
        Assert.Equal(HttpStatusCode.GatewayTimeout, late.StatusCode);

        async Task<HttpResponseMessage> AskAsync(string query)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, new Uri($"/v1/immortals/{Name}/Report{query}", UriKind.Relative));
            request.Headers.Authorization = new System.Net.Http.Headers.AuthenticationHeaderValue("Bearer", Token);
            return await client.SendAsync(request);
        }
    }

    private static string Body(int i) => $$"""{"id":"r{{i}}","kind":"{{(i % 2 == 0 ? "Note" : "Self")}}","peer":"","size":{{i}}}""";

    // As a client does: again, with the same key, until there is an answer. Without one, nobody may say whether it ran.
    private static async Task<string> CallAsync(HttpClient client, string method, string body, string? key)
    {
        string text = "";
        await Wait.UntilAsync($"{method} {body} is answered", async () =>
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, new Uri($"/v1/immortals/{Name}/{method}", UriKind.Relative));
            request.Headers.Authorization = new System.Net.Http.Headers.AuthenticationHeaderValue("Bearer", Token);
            request.Content = new StringContent(body, Encoding.UTF8, "application/json");
            if (key is not null)
            {
                request.Headers.TryAddWithoutValidation("Idempotency-Key", key);
            }

            try
            {
                using HttpResponseMessage answer = await client.SendAsync(request);
                text = await answer.Content.ReadAsStringAsync();
                Assert.Contains(answer.StatusCode, new[]
                {
                    HttpStatusCode.OK, HttpStatusCode.Accepted, HttpStatusCode.ServiceUnavailable, HttpStatusCode.GatewayTimeout,
                });
                return answer.StatusCode == HttpStatusCode.OK;
            }
            catch (HttpRequestException)
            {
                return false; // The coordinator was killed.
            }
        }, s_patience);
        return text;
    }
}
