using System.Text;
using System.Text.Json.Nodes;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.Primitives.Errors;
using Ambrosia.Protocol;
using Ambrosia.Tests.Common;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Client.Tests;

/// <summary>Awakeables that are completed by their URLs: docs/internals/outside-calls.md X29.</summary>
public sealed class ClientAwakeableTests : IAsyncLifetime
{
    private const string Shapes = """
        {"interface":"Shop.IShop","methods":[],"types":[],"awakeables":[{"id":7,"name":"Decision","type":"#0",
        "types":[{"name":"Decision","members":[{"name":"Approved","type":"bool","needed":true},{"name":"By","type":"text?"}]}]}]}
        """;

    private IngressUnderTest _ingress = null!;
    private AmbrosiaClient _client = null!;

    private string Url => $"{_ingress.Address}v1/awakeables/{FakeAwakeables.Id()}";

    private List<byte[]> Taken => _ingress.Awakeables.Taken;

    public async Task InitializeAsync()
    {
        _ingress = await IngressUnderTest.StartAsync();
        _ingress.Told.Tell(Shapes);
        _client = AmbrosiaClient.For(); // No address: the URL has it.
    }

    public async Task DisposeAsync()
    {
        _client.Dispose();
        await _ingress.DisposeAsync();
    }

    [Fact]
    public async Task A_value_arrives_and_the_same_one_again_is_taken_again()
    {
        await CompleteAsync(new Decision(true, "Ada"));
        await CompleteAsync(new Decision(true, "Ada"));
        Assert.Equal([0x82, 0xa8, .. "Approved"u8, 0xc3, 0xa2, .. "By"u8, 0xa3, .. "Ada"u8], Assert.Single(Taken));
        await CompleteAsync(new JsonObject { ["approved"] = false });
        Assert.Equal(2, Taken.Count);
    }

    [Fact] // It was cut down to its base class, and taken.
    public async Task A_derived_value_is_refused_if_it_has_more_than_is_awaited()
    {
        Decision value = new DecisionOfTwo(true, "Ada", "Bob");
        Assert.Contains(
            "With", (await RefusedAsync(IngressErrors.AwakeableNotUnderstood, Url, value)).Message, StringComparison.Ordinal);
        await CompleteAsync(new Fields { Approved = true, By = "Ada" });
        Assert.Equal([0x82, 0xa8, .. "Approved"u8, 0xc3, 0xa2, .. "By"u8, 0xa3, .. "Ada"u8], Assert.Single(Taken));
    }

    [Fact]
    public async Task A_reason_arrives_or_none()
    {
        await _client.RejectAsync(Url, "too expensive").WaitAsync(Patience.Time);
        await _client.RejectAsync(Url + "/").WaitAsync(Patience.Time);
        Assert.Equal(["too expensive", ""], Taken.Select(Encoding.UTF8.GetString));
    }

    [Fact]
    public async Task Who_does_not_serve_and_what_is_not_said_yet_is_asked_again()
    {
        _ingress.Awakeables.Refuses = OutsideReplyKind.Unavailable;
        _ingress.Awakeables.Says = new OutsideReply(OutsideReplyKind.Accepted);
        Task completing = CompleteAsync(new Decision(true, null));
        await Task.Delay(200);
        Assert.Empty(Taken);
        _ingress.Awakeables.Refuses = null;
        while (Taken.Count == 0)
        {
            await Task.Delay(5);
        }

        await Task.Delay(200);
        Assert.False(completing.IsCompleted);
        _ingress.Awakeables.Kept[_ingress.Awakeables.Kept.Keys.Single()] = FakeAwakeables.Value(AwakeableCompletion.Taken);
        await completing;
        Assert.Single(Taken); // The same bytes each time, or it would be another completion.
    }

    [Fact]
    public async Task What_is_refused_has_its_code_and_no_URL_in_its_text()
    {
        _ingress.Awakeables.Says = FakeAwakeables.Value(AwakeableCompletion.NotOpen);
        Assert.True((await RefusedAsync(IngressErrors.AwakeableNotOpen, Url, new Decision(true, null))).IsFinal);
        Assert.False((await RefusedAsync(IngressErrors.AwakeableNotUnderstood, Url, "yes")).IsFinal);
        await RefusedAsync(IngressErrors.NoSuchAwakeable, $"{_ingress.Address}v1/awakeables/AAAA", new Decision(true, null));
    }

    [Theory] // What stands behind the path is left out on the way: a rejection would complete it.
    [InlineData("")]
    [InlineData("/v1/awakeables/AAAA")]
    [InlineData("ftp://127.0.0.1/v1/awakeables/AAAA")]
    [InlineData("http://127.0.0.1/v1/calls/AAAA")]
    [InlineData("http://127.0.0.1/v1/awakeables/")]
    [InlineData("http://127.0.0.1/v1/awakeables/AAAA/reject")]
    [InlineData("http://127.0.0.1/v1/awakeables/AAAA?utm_source=mail")]
    [InlineData("http://127.0.0.1/v1/awakeables/AAAA#x")]
    [InlineData("http://127.0.0.1/v1/awakeables/AAAA?")]
    [InlineData("http://127.0.0.1/v1/awakeables/AAAA\n")]
    [InlineData("http://user:word@127.0.0.1/v1/awakeables/AAAA")]
    public async Task What_is_no_URL_of_an_awakeable_is_sent_nowhere(string url)
    {
        foreach (Task refused in new[] { _client.CompleteAsync(url, true), _client.RejectAsync(url) })
        {
            await Task.WhenAny(refused, Task.Delay(2000));
            Assert.True(refused.IsFaulted, "it is being sent");
            ArgumentException thrown = await Assert.ThrowsAsync<ArgumentException>(() => refused);
            Assert.DoesNotContain("AAAA", thrown.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_reason_that_is_too_long_and_a_value_without_JSON_are_told_at_once()
    {
        await Assert.ThrowsAsync<ArgumentException>(() => _client.RejectAsync(Url, new string('ä', 4097)));
        await Assert.ThrowsAsync<NotSupportedException>(() => _client.CompleteAsync(Url, typeof(string)));
        Assert.Empty(Taken);
        await _client.RejectAsync(Url, new string('x', 1000)).WaitAsync(Patience.Time);
        Assert.Single(Taken);
    }

    [Fact] // Also while nobody serves: each try that waits keeps a connection open there.
    public async Task Of_many_only_so_many_are_under_way_and_connections_are_kept()
    {
        int open = 0, most = 0;
        var connections = new System.Collections.Concurrent.ConcurrentDictionary<string, bool>();
        await using WebApplication address = await ServeAsync(async context =>
        {
            InterlockedMax(ref most, Interlocked.Increment(ref open));
            connections.TryAdd(context.Connection.Id, true);
            await Task.Delay(2);
            Interlocked.Decrement(ref open);
            if (Random.Shared.Next(2) == 0)
            {
                context.Response.StatusCode = StatusCodes.Status429TooManyRequests;
                return;
            }

            await TakeAsync(context);
        });
        using var client = new AmbrosiaClient(new AmbrosiaClientOptions { MaxConcurrentCalls = 4 });
        await Task.WhenAll(Enumerable.Range(0, 60).Select(i => client.CompleteAsync($"{address.Urls.Single()}/v1/awakeables/A{i}", i)))
            .WaitAsync(Patience.Time);
        Assert.InRange(most, 1, 4);
        Assert.InRange(connections.Count, 1, 8);
    }

    [Fact]
    public async Task What_the_function_for_the_token_throws_ends_it()
    {
        int asked = 0;
        var options = new AmbrosiaClientOptions
        {
            GetToken = _ => ++asked == 1 ? throw new HttpRequestException("no token") : throw new OperationCanceledException("there"),
        };
        options.Addresses.Add(_ingress.Address.ToString());
        using var client = new AmbrosiaClient(options);
        Assert.Equal("no token", (await Assert.ThrowsAsync<HttpRequestException>(
            () => client.CompleteAsync(Url, true).WaitAsync(Patience.Time))).Message);
        Assert.Equal("there", (await Assert.ThrowsAsync<OperationCanceledException>(
            () => client.CompleteAsync(Url, true).WaitAsync(Patience.Time))).Message);
        Assert.Equal(2, asked);
    }

    [Fact] // Everybody who reads traces could complete it, and the URL's author would be told whose request this is.
    public async Task A_URL_is_in_no_trace_and_its_host_is_told_nothing_of_this_process()
    {
        var seen = new List<string>();
        using var listener = new System.Diagnostics.ActivityListener
        {
            ShouldListenTo = static source => source.Name.StartsWith("System.Net", StringComparison.Ordinal),
            Sample = static (ref System.Diagnostics.ActivityCreationOptions<System.Diagnostics.ActivityContext> _) =>
                System.Diagnostics.ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = activity => seen.AddRange(activity.TagObjects.Select(static tag => $"{tag.Value}")),
        };
        System.Diagnostics.ActivitySource.AddActivityListener(listener);
        var headers = new List<string>();
        await using WebApplication address = await ServeAsync(context =>
        {
            headers.AddRange(context.Request.Headers.Keys);
            return TakeAsync(context);
        });
        using (var activity = new System.Diagnostics.Activity("test").AddBaggage("user", "ada").Start())
        {
            await _client.CompleteAsync($"{address.Urls.Single()}/v1/awakeables/SECRET", true).WaitAsync(Patience.Time);
        }

        Assert.DoesNotContain(seen, static text => text.Contains("SECRET", StringComparison.Ordinal));
        Assert.Equal(["Content-Length", "Content-Type", "Host", "Prefer"], headers.Order());
    }

    [Theory] // A page to log in; a page of a proxy that is longer than any answer of ours.
    [InlineData(200, "text/html", 10)]
    [InlineData(200, "application/json", 10)]
    [InlineData(404, "text/html", 100_000)]
    [InlineData(404, "application/problem+json", 100_000)]
    public async Task What_no_coordinator_has_said_is_no_success_and_an_end(int status, string kind, int size)
    {
        await using WebApplication proxy = await ServeAsync(async context =>
        {
            context.Response.StatusCode = status;
            context.Response.ContentType = kind;
            await context.Response.WriteAsync($"{{\"a\":\"{new string('x', size)}\"}}");
        });
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(
            () => _client.CompleteAsync($"{proxy.Urls.Single()}/v1/awakeables/AAAA", true).WaitAsync(Patience.Time));
        Assert.Equal(("", false), (refused.Code, refused.IsFinal));
    }

    [Fact]
    public async Task Waiting_ends_with_the_callers_patience_the_deadline_and_the_client()
    {
        _ingress.Awakeables.Refuses = OutsideReplyKind.Unavailable;
        using var stop = new CancellationTokenSource();
        Task completing = _client.CompleteAsync(Url, new Decision(true, null), stop.Token);
        await stop.CancelAsync();
        var cancelled = await Assert.ThrowsAsync<OperationCanceledException>(() => completing.WaitAsync(Patience.Time));
        Assert.Equal(stop.Token, cancelled.CancellationToken);

        using (var hasty = new AmbrosiaClient(new AmbrosiaClientOptions { Deadline = TimeSpan.FromMilliseconds(300) }))
        {
            CallNotAnsweredException late = await Assert.ThrowsAsync<CallNotAnsweredException>(
                () => hasty.CompleteAsync(Url, new Decision(true, null)).WaitAsync(Patience.Time));
            Assert.Contains("no primary", late.Message, StringComparison.Ordinal);
            Assert.DoesNotContain(FakeAwakeables.Id().ToString(), late.Message, StringComparison.Ordinal);
        }

        completing = _client.RejectAsync(Url);
        _client.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => completing.WaitAsync(Patience.Time));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => _client.CompleteAsync(Url, 1));
        Assert.Empty(Taken);
    }

    [Fact]
    public async Task Values_are_written_as_an_address_reads_them()
    {
        _ingress.Told.Tell("""
            {"interface":"Shop.IShop","methods":[],"types":[],"awakeables":[{"id":7,"name":"Many","type":"#0","types":[{"name":"Many",
            "members":[{"name":"Price","type":"decimal"},{"name":"Wait","type":"span"},{"name":"Until","type":"clock"},
            {"name":"Big","type":"integer"},{"name":"Ratio","type":"float64"},{"name":"Data","type":"bytes"},{"name":"Id","type":"uuid"}]}]}]}
            """);
        await CompleteAsync(new Many(
            12.50m, new TimeSpan(1, 2, 3, 4, 5), DateTimeOffset.UnixEpoch, System.Numerics.BigInteger.Pow(2, 70), double.NaN, [1, 2],
            Guid.Empty));
        Assert.Single(Taken);
    }

    [Fact] // Somebody else may have put the URL there.
    public async Task A_token_is_shown_at_addresses_of_the_options_alone()
    {
        var shown = new List<string>();
        await using WebApplication gateway = await ServeAsync(context =>
        {
            shown.Add(context.Request.Headers.Authorization.ToString());
            return TakeAsync(context);
        });
        string address = gateway.Urls.Single(), url = $"{address}/shop/v1/awakeables/AAAA";
        foreach (string own in new[]
            { address, "http://127.0.0.1:1", "http://{instance}:8080", address.Replace("http:", "https:") })
        {
            var options = new AmbrosiaClientOptions { Token = "secret" };
            options.Addresses.Add(own);
            using var client = new AmbrosiaClient(options);
            await client.CompleteAsync(url, true).WaitAsync(Patience.Time);
        }

        Assert.Equal(["Bearer secret", "", "", ""], shown);
    }

    [Fact]
    public async Task A_refused_token_is_read_again()
    {
        var shown = new List<string>();
        await using WebApplication gateway = await ServeAsync(context =>
        {
            shown.Add(context.Request.Headers.Authorization.ToString());
            return shown.Count > 1 ? TakeAsync(context)
                : new Problem(StatusCodes.Status401Unauthorized, IngressErrors.Unauthenticated, "no").TellAsync(context);
        });
        int asked = 0;
        var options = new AmbrosiaClientOptions { GetToken = _ => ValueTask.FromResult($"t{++asked}") };
        options.Addresses.Add(gateway.Urls.Single());
        using (var client = new AmbrosiaClient(options))
        {
            await client.CompleteAsync($"{gateway.Urls.Single()}/v1/awakeables/AAAA", true).WaitAsync(Patience.Time);
        }

        Assert.Equal(["Bearer t1", "Bearer t2"], shown);
        shown.Clear();
        using var constant = AmbrosiaClient.For(gateway.Urls.Single());
        await Assert.ThrowsAsync<CallRefusedException>(
            () => constant.CompleteAsync($"{gateway.Urls.Single()}/v1/awakeables/AAAA", true).WaitAsync(Patience.Time));
    }

    [Fact]
    public async Task What_is_on_the_way_is_asked_again_or_believed_as_far_as_it_goes()
    {
        int asked = 0;
        string? redirected = null;
        await using WebApplication proxy = await ServeAsync(async context =>
        {
            context.Response.StatusCode = ++asked switch { 1 => 502, 2 => 408, 3 => 429, 4 => 307, _ => 200 };
            context.Response.Headers.Location = redirected;
            context.Response.ContentType = "application/problem+json";
            await context.Response.WriteAsync(asked == 1 ? new string('x', 100_000) : "[1]");
        });
        string url = $"{proxy.Urls.Single()}/v1/awakeables/AAAA";
        redirected = Url;
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(
            () => _client.CompleteAsync(url, true).WaitAsync(Patience.Time));
        Assert.Equal((4, ""), (asked, refused.Code));
        Assert.Contains("HTTP 307", refused.Message, StringComparison.Ordinal);
        Assert.Empty(Taken);
    }

    [Fact]
    public async Task Only_a_trusted_certificate_is_sent_anything()
    {
        string folder = Directory.CreateTempSubdirectory("ambrosia-client").FullName;
        try
        {
            using var authority = new Authority(folder, "ca");
            (string certificate, string key) = authority.Sign("shop", []);
            await using IngressUnderTest safe = await IngressUnderTest.StartAsync(
                certificate: await IngressCertificate.LoadAsync(certificate, key, TimeProvider.System, NullLogger.Instance));
            safe.Told.Tell(Shapes);
            string url = $"{safe.Address}v1/awakeables/{FakeAwakeables.Id()}";
            CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(
                () => _client.CompleteAsync(url, new Decision(true, null)).WaitAsync(Patience.Time));
            Assert.Contains("TrustedCaFile", refused.Message, StringComparison.Ordinal);
            Assert.Empty(safe.Awakeables.Taken);
            using var trusting = new AmbrosiaClient(new AmbrosiaClientOptions { TrustedCaFile = authority.File });
            await trusting.CompleteAsync(url, new Decision(true, null)).WaitAsync(Patience.Time);
            Assert.Single(safe.Awakeables.Taken);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private Task CompleteAsync<T>(T value) => _client.CompleteAsync(Url, value).WaitAsync(Patience.Time);

    private async Task<CallRefusedException> RefusedAsync<T>(ErrorCode code, string url, T value)
    {
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(
            () => _client.CompleteAsync(url, value).WaitAsync(Patience.Time));
        Assert.Equal(code.Id, refused.Code);
        Assert.DoesNotContain(url[(url.LastIndexOf('/') + 1)..], refused.Message, StringComparison.Ordinal);
        return refused;
    }

    private static Task TakeAsync(HttpContext context)
    {
        context.Response.ContentType = "application/json";
        return context.Response.WriteAsync("{\"taken\":true}\n");
    }

    private static void InterlockedMax(ref int most, int value)
    {
        for (int seen = Volatile.Read(ref most); seen < value; seen = Volatile.Read(ref most))
        {
            Interlocked.CompareExchange(ref most, value, seen);
        }
    }

    private static async Task<WebApplication> ServeAsync(RequestDelegate answer)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        WebApplication app = builder.Build();
        app.Run(answer);
        await app.StartAsync();
        return app;
    }

    private record Decision(bool Approved, string? By);

    private sealed record DecisionOfTwo(bool Approved, string? By, string With) : Decision(Approved, By);

    private sealed class Fields
    {
        public bool Approved;

        public string? By;
    }

    private sealed record Many(
        decimal Price, TimeSpan Wait, DateTimeOffset Until, System.Numerics.BigInteger Big, double Ratio, byte[] Data, Guid Id);
}
