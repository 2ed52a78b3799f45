using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging.Abstractions;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Who may call, which methods, and what a hostile client gets.</summary>
public sealed class IngressSecurityTests : IDisposable
{
    private readonly string _file = Path.Combine(Path.GetTempPath(), $"callers-{Guid.NewGuid():N}");

    public void Dispose() => File.Delete(_file);

    [Fact]
    public async Task A_token_stands_for_a_caller_whose_keys_are_its_own()
    {
        IngressTokens tokens = Load($"# who may call\nalice {Hash("one")}\nbob {Hash("two")} Order\nalice {Hash("three")}\n");
        await using IngressUnderTest ingress = await StartAsync(tokens: tokens);
        foreach (string token in new[] { "one", "two", "three" })
        {
            Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Order", """{"item":"x"}""", Key, token: token)).Status);
        }

        // A new token is no new caller.
        Assert.Equal(["alice", "bob"], ingress.Entrance.Admitted.Select(static call => call.Key!.Value.Caller));
        Answer refused = await ingress.CallAsync("Add", """{"number":1}""", token: "two");
        Assert.Equal(HttpStatusCode.NotFound, refused.Status);
        Assert.Equal("IC-7010", refused.Code);
        Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Add", """{"number":1}""", token: "one")).Status);
    }

    [Theory]
    [InlineData("none")]
    [InlineData("")]
    [InlineData("One")]
    [InlineData("one two")]
    public async Task An_unauthenticated_client_learns_nothing(string shown)
    {
        string? token = shown == "none" ? null : shown;
        await using IngressUnderTest ingress = await StartAsync(IngressLimits.Product with { Body = 16 }, Load($"alice {Hash("one")}\n"));
        string[] paths = ["/", "/v1/calls/x", "/openapi.json", "/v1/immortals/shop/Order", "/v1/immortals/other/Order"];
        Answer[] answers =
        [
            .. await Task.WhenAll(paths.Select(path => ingress.GetAsync(path, token))),
            await ingress.CallAsync("Order", "{", token: token), await ingress.CallAsync("Order", new string('x', 100), token: token),
            await ingress.CallAsync("Order", "{}", "no key", "?mode=shout", token),
        ];
        Assert.All(answers, static answer => Assert.Equal((HttpStatusCode.Unauthorized, "IC-7013"), (answer.Status, answer.Code)));
        Assert.Single(answers.Select(static answer => answer.Text).Distinct());
    }

    [Fact]
    public async Task Refusals_are_counted_by_code_and_answers_are_none()
    {
        using var metrics = new MetricsCollector();
        await using IngressUnderTest ingress = await StartAsync(tokens: Load($"alice {Hash("one")}\n"), instance: "counted");
        await ingress.CallAsync("Order", "{}");
        await ingress.SendAsync(HttpMethod.Post, "/v1/immortals/counted/Order", "{", null, "one", "application/json");
        await ingress.SendAsync(HttpMethod.Post, "/v1/immortals/counted/Order", """{"item":"x"}""", null, "one", "application/json");
        ingress.Entrance.Answer = static _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Exception, new byte[] { 0x90 });
        await ingress.SendAsync(HttpMethod.Post, "/v1/immortals/counted/Order", """{"item":"x"}""", null, "one", "application/json");
        string[] lines = [.. (await metrics.RenderAsync()).Split('\n')
            .Where(static line => line.Contains("outside_refusals_total{ambrosia_instance=\"counted\"", StringComparison.Ordinal))];
        Assert.Equal(2, lines.Length);
        Assert.Contains(lines, static line => line.EndsWith("code=\"IC-7013\"} 1", StringComparison.Ordinal));
        Assert.Contains(lines, static line => line.EndsWith("code=\"IC-7001\"} 1", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Without_tokens_no_web_page_and_no_other_name_of_this_machine_is_answered()
    {
        await using IngressUnderTest ingress = await StartAsync();
        foreach ((string header, string value) in new[] { ("Host", "evil.example"), ("Origin", "http://evil.example") })
        {
            using var client = new HttpClient();
            using var request = new HttpRequestMessage(HttpMethod.Post, $"http://127.0.0.1:{ingress.Port}/v1/immortals/shop/Order");
            request.Headers.TryAddWithoutValidation(header, value);
            request.Content = new StringContent("""{"item":"x"}""", Encoding.UTF8, "application/json");
            using HttpResponseMessage answer = await client.SendAsync(request);
            Assert.Equal(HttpStatusCode.Unauthorized, answer.StatusCode);
        }

        Assert.Empty(ingress.Entrance.Admitted);
    }

    [Theory] // What a browser says of itself, and a page cannot change.
    [InlineData("cross-site", "no-cors", "image", false)]
    [InlineData("same-site", "no-cors", "script", false)] // Of another port of this machine.
    [InlineData("cross-site", "navigate", "iframe", false)]
    [InlineData("cross-site", "navigate", "document", true)] // A link to here.
    [InlineData("same-origin", "cors", "empty", true)]
    [InlineData("none", "navigate", "document", true)] // Typed.
    public async Task Without_tokens_no_web_page_asks_a_query(string site, string mode, string destination, bool isAnswered)
    {
        await using IngressUnderTest ingress = await StartAsync();
        int asked = 0;
        ingress.Asked.Answer = (_, _) => Task.FromResult(new AppAnswer((ulong)++asked, QueryStatus.Answered, [0xa1, (byte)'5']));
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(HttpMethod.Get, $"http://127.0.0.1:{ingress.Port}/v1/immortals/shop/PriceOf?item=tea");
        request.Headers.Add("Sec-Fetch-Site", site);
        request.Headers.Add("Sec-Fetch-Mode", mode);
        request.Headers.Add("Sec-Fetch-Dest", destination);
        using HttpResponseMessage answer = await client.SendAsync(request);
        Assert.Equal(isAnswered ? (HttpStatusCode.OK, 1) : (HttpStatusCode.Unauthorized, 0), (answer.StatusCode, asked));
    }

    [Theory]
    [InlineData("alice")]
    [InlineData("alice 1234")]
    [InlineData("jwt:https://login.example#ann f3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")]
    [InlineData("jwt-sha256:00 f3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")]
    [InlineData("alice f3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85z")]
    [InlineData("alice f3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 Order,")]
    [InlineData("alice f3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 Order more")]
    [InlineData("ålice f3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")]
    [InlineData("a f3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nb "
        + "F3B0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")]
    [InlineData("alice e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")] // Of an empty token, which anybody can show.
    public void A_file_that_does_not_say_who_may_call_lets_nobody_in(string text)
    {
        var error = Assert.Throws<CoordinatorException>(() => Load(text));
        Assert.Equal("IC-1008", error.Code);
    }

    [Fact]
    public void A_file_that_others_may_write_lets_nobody_in()
    {
        File.WriteAllText(_file, $"alice {Hash("one")}\n");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(_file, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.OtherWrite);
            Assert.Throws<CoordinatorException>(() => IngressTokens.Load(_file, TimeProvider.System, NullLogger.Instance));
        }

        Assert.Throws<CoordinatorException>(() => IngressTokens.Load(_file + "-missing", TimeProvider.System, NullLogger.Instance));
    }

    [Fact]
    public async Task A_changed_file_counts_and_one_that_became_unusable_changes_nothing()
    {
        var time = new SteppedTime();
        await using IngressUnderTest ingress = await StartAsync(tokens: Load($"alice {Hash("one")}\n", time));
        Assert.Equal(HttpStatusCode.NoContent, await StatusAsync("one"));
        Write($"alice {Hash("two")}\n", 1);
        Assert.Equal(HttpStatusCode.NoContent, await StatusAsync("one")); // Looked at once a second.
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal((HttpStatusCode.Unauthorized, HttpStatusCode.NoContent), (await StatusAsync("one"), await StatusAsync("two")));
        Write("nonsense", 2);
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(HttpStatusCode.NoContent, await StatusAsync("two"));
        File.Delete(_file);
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(HttpStatusCode.NoContent, await StatusAsync("two"));

        async Task<HttpStatusCode> StatusAsync(string token) => (await ingress.CallAsync("Order", """{"item":"x"}""", token: token)).Status;

        void Write(string text, int age)
        {
            File.WriteAllText(_file, text);
            File.SetLastWriteTimeUtc(_file, DateTime.UtcNow.AddMinutes(age));
        }
    }

    [Fact]
    public async Task A_file_that_is_usable_again_counts_although_its_time_stays()
    {
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        const UnixFileMode Mine = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        var time = new SteppedTime();
        await using IngressUnderTest ingress = await StartAsync(tokens: Load($"alice {Hash("one")}\n", time));
        await File.WriteAllTextAsync(_file, "# nobody\n");
        File.SetLastWriteTimeUtc(_file, DateTime.UtcNow.AddMinutes(1));
        File.SetUnixFileMode(_file, Mine | UnixFileMode.GroupWrite);
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Order", """{"item":"x"}""", token: "one")).Status);
        File.SetUnixFileMode(_file, Mine);
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(HttpStatusCode.Unauthorized, (await ingress.CallAsync("Order", """{"item":"x"}""", token: "one")).Status);
    }

    [Theory]
    [InlineData("all", "Close", true)]
    [InlineData("Close,Order", "Close", true)]
    [InlineData("Close", "Order", false)]
    [InlineData("impulses", "Close", false)]
    public async Task Only_what_is_offered_may_be_called(string offered, string method, bool expected)
    {
        await using IngressUnderTest ingress = await StartAsync(methods: IngressMethods.TryParse(offered));
        Answer answer = await ingress.CallAsync(method, method == "Order" ? """{"item":"x"}""" : "{}");
        Assert.Equal(expected, answer.Status == HttpStatusCode.NoContent);
        Assert.Null(IngressMethods.TryParse("a b"));
    }

    [Fact]
    public async Task A_caller_that_fills_its_share_leaves_that_of_others()
    {
        IngressTokens tokens = Load($"alice {Hash("one")}\nbob {Hash("two")}\n");
        await using IngressUnderTest ingress = await StartAsync(IngressLimits.Product with { RequestsOfOne = 2, Requests = 3 }, tokens);
        ingress.Entrance.Answer = static _ => null;
        Task<Answer>[] waiting = [.. Enumerable.Range(1, 2)
            .Select(i => ingress.CallAsync("Order", """{"item":"x"}""", $"\"k{i}\";t=1795439000", token: "one"))];
        await Within.Until(() => ingress.Entrance.Admitted.Count == 2);
        Answer refused = await ingress.CallAsync("Order", """{"item":"x"}""", "\"k3\";t=1795439000", token: "one");
        Assert.Equal((HttpStatusCode.TooManyRequests, "IC-7015"), (refused.Status, refused.Code));
        Assert.Equal(HttpStatusCode.Accepted, (await ingress.CallAsync("Order", """{"item":"x"}""", Key, "?mode=send", "two")).Status);
        ingress.Entrance.Complete(new(Coordinator.Outside.OutsideReplyKind.Answer, 2));
        await Task.WhenAll(waiting);
        Assert.NotEqual(HttpStatusCode.TooManyRequests,
            (await ingress.CallAsync("Order", """{"item":"x"}""", "\"k1\";t=1795439000", token: "one")).Status);
    }

    [Fact]
    public async Task Bodies_that_are_held_are_bounded_together_and_by_caller()
    {
        IngressTokens tokens = Load($"alice {Hash("one")}\nbob {Hash("two")}\n");
        await using IngressUnderTest ingress = await StartAsync(IngressLimits.Product with { Body = 1000, MostBodies = 5000 }, tokens);
        ingress.Entrance.Answer = static _ => null;
        string body = $$"""{"item":"{{new string('x', 980)}}"}""";
        Task<Answer>[] waiting =
            [.. Enumerable.Range(1, 2).Select(i => ingress.CallAsync("Order", body, $"\"k{i}\";t=1795439000", token: "one"))];
        await Within.Until(() => ingress.Entrance.Admitted.Count == 2);
        Answer refused = await ingress.CallAsync("Order", body, "\"k3\";t=1795439000", "?mode=send", "one");
        Assert.Equal(HttpStatusCode.TooManyRequests, refused.Status);
        Assert.Equal("IC-7015", refused.Code);
        Assert.Equal(HttpStatusCode.Accepted, (await ingress.CallAsync("Order", """{"item":"x"}""", Key, "?mode=send", "one")).Status);
        Assert.Equal(HttpStatusCode.Accepted, (await ingress.CallAsync("Order", body, Key, "?mode=send", "two")).Status);
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge,
            (await ingress.CallAsync("Order", body + new string(' ', 100), token: "one")).Status);
        ingress.Entrance.Complete(new(OutsideReplyKind.Answer, 2));
        await Task.WhenAll(waiting);
        Assert.Equal(HttpStatusCode.Accepted, (await ingress.CallAsync("Order", body, "\"k3\";t=1795439000", "?mode=send", "one")).Status);
    }

    [Fact]
    public async Task A_body_that_does_not_say_its_size_holds_what_has_arrived_of_it()
    {
        await using IngressUnderTest ingress = await StartAsync(IngressLimits.Product with { Body = 1000, MostBodies = 5000 });
        ingress.Entrance.Answer = static _ => null;
        using var client = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{ingress.Port}") };
        Task<HttpResponseMessage>[] waiting = [.. Enumerable.Range(1, 20).Select(i => SendAsync(client, $$"""{"item":"x{{i}}"}""", i))];
        await Within.Until(() => ingress.Entrance.Admitted.Count == 20);
        using HttpResponseMessage some = await SendAsync(client, $$"""{"item":"{{new string('x', 900)}}"}""", 21, "?mode=send");
        Assert.Equal(HttpStatusCode.Accepted, some.StatusCode);
        string large = $$"""{"item":"{{new string('x', 980)}}"}""";
        Task<HttpResponseMessage>[] more = [.. Enumerable.Range(30, 2).Select(i => SendAsync(client, large, i))];
        await Within.Until(() => ingress.Entrance.Admitted.Count == 23);
        using HttpResponseMessage refused = await SendAsync(client, large, 40, "?mode=send");
        Assert.Equal(HttpStatusCode.TooManyRequests, refused.StatusCode);
        ingress.Entrance.Complete(new(OutsideReplyKind.Answer, 2));
        await Task.WhenAll([.. waiting, .. more]);
        using HttpResponseMessage again = await SendAsync(client, large, 40, "?mode=send");
        Assert.Equal(HttpStatusCode.Accepted, again.StatusCode);
    }

    private static async Task<HttpResponseMessage> SendAsync(HttpClient client, string body, int key, string query = "")
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, $"/v1/immortals/shop/Order{query}");
        request.Content = new StringContent(body, Encoding.UTF8, "application/json");
        request.Headers.TransferEncodingChunked = true;
        request.Headers.TryAddWithoutValidation("Idempotency-Key", $"\"k{key}\";t=1795439000");
        return await client.SendAsync(request);
    }

    [Fact]
    public async Task A_file_that_cannot_be_looked_for_changes_nothing()
    {
        string folder = Directory.CreateTempSubdirectory("callers-").FullName;
        string file = Path.Combine(folder, "file");
        await File.WriteAllTextAsync(file, $"alice {Hash("one")}\n");
        var time = new SteppedTime();
        await using IngressUnderTest ingress = await StartAsync(tokens: IngressTokens.Load(file, time, NullLogger.Instance));
        Directory.Delete(folder, recursive: true);
        File.CreateSymbolicLink(folder, folder); // Which leads nowhere.
        try
        {
            time.Advance(TimeSpan.FromSeconds(2));
            Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Order", """{"item":"x"}""", token: "one")).Status);
        }
        finally
        {
            File.Delete(folder);
        }
    }

    [Fact]
    public async Task A_body_that_comes_too_slowly_ends_its_connection_and_no_other()
    {
        await using IngressUnderTest ingress =
            await StartAsync(IngressLimits.Product with { BodyRate = 1_000_000, BodyGrace = TimeSpan.FromSeconds(1.5) });
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, ingress.Port);
        await socket.SendAsync(Encoding.ASCII.GetBytes(
            "POST /v1/immortals/shop/Order HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"));
        Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Order", """{"item":"x"}""")).Status);
        var received = new StringBuilder();
        var buffer = new byte[1024];
        for (int size; (size = await socket.ReceiveAsync(buffer)) > 0;)
        {
            received.Append(Encoding.ASCII.GetString(buffer, 0, size));
        }

        Assert.StartsWith("HTTP/1.1 408", received.ToString(), StringComparison.Ordinal);
        Assert.Single(ingress.Entrance.Admitted);
    }

    [Theory] // Else everybody who may send a body fills the log with errors.
    [InlineData("Transfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 400", false)]
    [InlineData("Content-Length: 100\r\n\r\n{", "HTTP/1.1 408", false)]
    [InlineData("Content-Length: 100\r\n\r\n{", "", true)] // It ends early.
    public async Task A_body_that_is_broken_is_no_error_of_the_coordinator(string rest, string answer, bool ends)
    {
        var log = new KeptLog();
        await using IngressUnderTest ingress = await StartAsync(
            IngressLimits.Product with { BodyRate = 1_000_000, BodyGrace = TimeSpan.FromSeconds(1.5) }, log: log);
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, ingress.Port);
        await socket.SendAsync(Encoding.ASCII.GetBytes(
            $"POST /v1/immortals/shop/Order HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{rest}"));
        if (ends)
        {
            socket.Shutdown(SocketShutdown.Send);
        }

        var received = new StringBuilder();
        var buffer = new byte[1024];
        try
        {
            for (int size; (size = await socket.ReceiveAsync(buffer)) > 0;)
            {
                received.Append(Encoding.ASCII.GetString(buffer, 0, size));
            }
        }
        catch (SocketException) when (ends)
        {
            // The server has closed it with bytes unread.
        }

        Assert.StartsWith(answer, received.ToString(), StringComparison.Ordinal);
        Assert.Empty(ingress.Entrance.Admitted);
        Assert.DoesNotContain(log.Lines.All, static line => line.Contains("exception", StringComparison.OrdinalIgnoreCase));
    }

    [Theory] // An error in the log that asks to be reported, for each client that is killed.
    [InlineData("1.1", "/v1/immortals/shop/Order", "application/json")]
    [InlineData("2.0", "/v1/immortals/shop/Order", "application/json")]
    [InlineData("2.0", "/ambrosia.v1.Ingress/Call", "application/grpc")]
    public async Task A_client_that_goes_within_its_body_is_no_error_of_the_coordinator(string version, string path, string kind)
    {
        using var log = new KeptLog();
        await using (IngressUnderTest ingress = await StartAsync(log: log))
        {
            for (int i = 0; i < 20; i++)
            {
                using var client = new HttpClient();
                using var gone = new CancellationTokenSource();
                using var request = new HttpRequestMessage(HttpMethod.Post, $"http://127.0.0.1:{ingress.Port}{path}")
                {
                    Version = Version.Parse(version), VersionPolicy = HttpVersionPolicy.RequestVersionExact,
                };
                var body = new EndlessContent(kind);
                request.Content = body;
                Task<HttpResponseMessage> sending = client.SendAsync(request, gone.Token);
                await body.Begun;
                await Task.Delay(10);
                await gone.CancelAsync();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending);
            }

            await Task.Delay(200);
            Assert.Empty(ingress.Entrance.Admitted);
        }

        Assert.DoesNotContain(log.Lines.All, static line => line.Contains("IC-1091", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_body_in_chunks_that_never_says_its_size_ends_at_the_limit()
    {
        await using IngressUnderTest ingress = await StartAsync(IngressLimits.Product with { Body = 1024 });
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(HttpMethod.Post, $"http://127.0.0.1:{ingress.Port}/v1/immortals/shop/Order");
        request.Headers.TransferEncodingChunked = true;
        request.Content = new StringContent($$"""{"item":"{{new string('x', 2000)}}"}""", Encoding.UTF8, "application/json");
        using HttpResponseMessage answer = await client.SendAsync(request);
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, answer.StatusCode);
        Assert.Contains("IC-7014", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Fact] // Seeds are fixed: a failure repeats.
    public async Task No_body_brings_anything_but_a_refusal_or_a_call()
    {
        await using IngressUnderTest ingress = await StartAsync(methods: IngressMethods.All);
        string[] pieces = ["{", "}", "[", "]", "\"item\"", "\"number\"", ":", ",", "1", "-1e9", "\"\\ud800\"", "\"\\u0000\"", "null",
            "true", "\"x\"", " ", "\uFEFF", "é"];
        string[] methods = ["Order", "Add", "Paint", "Close", "%00", "..", "Order%2F"];
        var random = new Random(11);
        for (int i = 0; i < 400; i++)
        {
            string body = random.Next(3) == 0
                ? new string('[', random.Next(5000))
                : string.Concat(Enumerable.Range(0, random.Next(12)).Select(_ => pieces[random.Next(pieces.Length)]));
            Answer answer = await ingress.CallAsync(methods[random.Next(methods.Length)], body);
            Assert.Contains(answer.Status, new[] { HttpStatusCode.NoContent, HttpStatusCode.BadRequest, HttpStatusCode.NotFound });
        }
    }

    private static string Hash(string token) => Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(token))).ToLowerInvariant();

    private IngressTokens Load(string text, TimeProvider? time = null)
    {
        File.WriteAllText(_file, text);
        return IngressTokens.Load(_file, time ?? TimeProvider.System, NullLogger.Instance);
    }

    private sealed class SteppedTime : TimeProvider
    {
        private long _ticks;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Interlocked.Read(ref _ticks);

        public void Advance(TimeSpan by) => Interlocked.Add(ref _ticks, by.Ticks);
    }

    private sealed class EndlessContent : HttpContent
    {
        private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public EndlessContent(string kind) => Headers.ContentType = new System.Net.Http.Headers.MediaTypeHeaderValue(kind);

        public Task Begun => _begun.Task;

        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
            SerializeToStreamAsync(stream, context, CancellationToken.None);

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
        {
            await stream.WriteAsync("{"u8.ToArray(), cancellationToken);
            await stream.FlushAsync(cancellationToken);
            _begun.TrySetResult();
            await Task.Delay(Timeout.Infinite, cancellationToken);
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
