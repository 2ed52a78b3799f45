using System.Net;
using System.Text;
using System.Text.Json;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Replicas.Tests.Running;
using Xunit.Abstractions;

namespace Ambrosia.Replicas.Tests;

/// <summary>Awakeables of an instance whose primaries die one after the other: who has an address completes it once, at whichever
/// acts.</summary>
public sealed class AwakeableTests(ITestOutputHelper output) : IDisposable
{
    private const string Name = "clerk";
    private const string Yes = """{"Yes":true,"Weight":"1.50"}""";
    private const string No = """{"Yes":false,"Weight":"2"}""";
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(90);
    private readonly int[] _ports = FreePorts.Some(3);
    private readonly HttpClient _client = new();

    public void Dispose() => _client.Dispose();

    [Fact]
    public async Task An_awakeable_outlives_its_primaries_and_is_completed_once()
    {
        await using var sandbox = new Sandbox(output);
        var clerk = new ReplicaSet([.. _ports.Select((port, number) => ReplicaSet.MakeOne(
            sandbox, Name,
            NodeSettings.Small with
            {
                CoordinatorArguments =
                [
                    .. NodeSettings.Small.CoordinatorArguments, "--ingress", $"127.0.0.1:{port}", "--ingress-url",
                    "http://people.example/clerk",
                ],
            },
            number, "bystander"))]);
        clerk.All.ToList().ForEach(static replica => replica.Start());
        NodeUnderTest first = await clerk.CompleteAsync();
        string[] ids = [await AskAsync("one"), await AskAsync("two"), await AskAsync("three")];
        Task saying = SayAsync($"v1/awakeables/{ids[0]}", Yes, HttpStatusCode.OK, "true"); // While its primary dies.
        await first.KillAsync(Side.Coordinator);
        await saying;
        await SayAsync($"v1/awakeables/{ids[0]}", Yes, HttpStatusCode.OK, "true");
        await SayAsync($"v1/awakeables/{ids[0]}", No, HttpStatusCode.Gone, "IC-7020");
        first.Start();
        NodeUnderTest second = await clerk.CompleteAsync();
        await second.KillAsync(Side.Coordinator);
        await SayAsync($"v1/awakeables/{ids[0]}", Yes, HttpStatusCode.OK, "true");
        await SayAsync($"v1/awakeables/{ids[0]}", No, HttpStatusCode.Gone, "IC-7020");
        await SayAsync($"v1/awakeables/{ids[1]}", No, HttpStatusCode.OK, "true");
        string later = await AskAsync("later"); // Named by the third primary as by the first.
        await SayAsync($"v1/awakeables/{later}", Yes, HttpStatusCode.OK, "true");
        string[] answers = JsonSerializer.Deserialize<string[]>(await CallAsync("Answers", "{}"))!;
        Assert.Equal(["one: True 1.50", "two: False 2", "later: True 1.50"], answers);
        Assert.Equal(4, ids.Append(later).Distinct().Count());
        await sandbox.PassedAsync();
    }

    private async Task<string> AskAsync(string question)
    {
        string url = JsonSerializer.Deserialize<string>(await CallAsync("Ask", $$"""{"question":"{{question}}"}"""))!;
        const string Address = "http://people.example/clerk/v1/awakeables/";
        Assert.StartsWith(Address, url, StringComparison.Ordinal);
        return url[Address.Length..];
    }

    private Task<string> CallAsync(string method, string body) => SayAsync($"v1/immortals/{Name}/{method}", body, HttpStatusCode.OK, "");

    // To each of them in turn, until one of them has the last word: that no such awakeable was given out says none.
    private async Task<string> SayAsync(string path, string body, HttpStatusCode status, string part)
    {
        string text = "";
        int asked = 0;
        await Wait.UntilAsync($"{path} takes {body}", async () =>
        {
            try
            {
                using var content = new StringContent(body, Encoding.UTF8, "application/json");
                using HttpResponseMessage answer =
                    await _client.PostAsync(new Uri($"http://127.0.0.1:{_ports[asked++ % 3]}/{path}"), content);
                text = await answer.Content.ReadAsStringAsync();
                bool isLast = answer.StatusCode is not (HttpStatusCode.Accepted or HttpStatusCode.ServiceUnavailable
                    or HttpStatusCode.GatewayTimeout);
                Assert.True(!isLast || (answer.StatusCode == status && text.Contains(part, StringComparison.Ordinal)),
                    $"{answer.StatusCode}: {text}");
                return isLast;
            }
            catch (HttpRequestException)
            {
                return false; // This one was killed.
            }
        }, s_patience);
        return text;
    }
}
