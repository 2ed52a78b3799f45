using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Jwt;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>An address for calls from outside, and a client of it.</summary>
internal sealed class IngressUnderTest : IAsyncDisposable
{
    public const string Key = "\"order-42\";t=1795439000";

    public const string ShopShapes = """
        {"interface":"Shop.IShop","methods":[
        {"id":1,"name":"Order","impulse":true,"parameters":[{"name":"item","type":"text"},{"name":"count","type":"int32","default":1}],"result":"decimal"},
        {"id":2,"name":"Add","impulse":true,"parameters":[{"name":"number","type":"int64"}],"result":"int64"},
        {"id":3,"name":"Add","impulse":true,"parameters":[{"name":"text","type":"text"}]},
        {"id":4,"name":"Close","parameters":[]},
        {"id":5,"name":"Paint","impulse":true,"parameters":[{"name":"colour","type":"#0"}],"result":"#0"},
        {"id":6,"name":"PriceOf","impulse":true,"query":true,"parameters":[{"name":"item","type":"text"},{"name":"count","type":"int32","default":1}],"result":"decimal"}],
        "types":[{"name":"Colour","numbers":"int32","values":{"Red":1,"Blue":2}}]}
        """;

    private readonly IngressServer _server;
    private readonly HttpClient _client;

    private IngressUnderTest(IngressServer server, bool isEncrypted)
    {
        _server = server;
        Address = isEncrypted ? new Uri($"https://localhost:{server.EndPoint.Port}") : new Uri($"http://127.0.0.1:{server.EndPoint.Port}");
        _client = new HttpClient { BaseAddress = Address };
    }

    public Uri Address { get; }

    public FakeEntrance Entrance { get; private init; } = new();

    public AskedApp Asked { get; private init; } = new();

    public FakeAwakeables Awakeables { get; private init; } = new();

    public AppShapes Told { get; private init; } = new();

    public int Port => _server.EndPoint.Port;

    public static async Task<IngressUnderTest> StartAsync(
        IngressLimits? limits = null, IngressTokens? tokens = null, IngressMethods? methods = null, TimeProvider? time = null,
        string instance = "shop", IngressCertificate? certificate = null, ILoggerProvider? log = null,
        string origins = "none", JwtVerifier? jwt = null, bool logEndsWithProcess = false)
    {
        var entrance = new FakeEntrance();
        var asked = new AskedApp();
        var awakeables = new FakeAwakeables();
        var told = new AppShapes();
        told.Tell(ShopShapes);
        limits ??= IngressLimits.Product;
        time ??= TimeProvider.System;
        ILogger logger = log?.CreateLogger("ingress") ?? NullLogger.Instance;
        IngressCallers? callers = tokens is null && jwt is null ? null : new IngressCallers(tokens, jwt, time, logger);
        var endpoints = new IngressEndpoints(
            instance, new IngressDoors(entrance, awakeables, (query, stop) => asked.Answer(query, stop), told)
            {
                LogEndsWithProcess = logEndsWithProcess,
            },
            callers, methods ?? IngressMethods.Impulses, IngressOrigins.TryParse(origins)!, limits, time, logger);
        IngressServer server = await IngressServer.StartAsync(
            EndPointName.Tcp("127.0.0.1", 0), endpoints, callers, limits, certificate, time, log ?? NullLoggerProvider.Instance, default);
        return new IngressUnderTest(server, certificate is not null)
            { Entrance = entrance, Asked = asked, Awakeables = awakeables, Told = told };
    }

    public Task<Answer> CallAsync(string method, string body, string? key = null, string query = "", string? token = null,
        string kind = "application/json") =>
        SendAsync(HttpMethod.Post, $"/v1/immortals/shop/{method}{query}", body, key, token, kind);

    public Task<Answer> GetAsync(string path, string? token = null) => SendAsync(HttpMethod.Get, path, null, null, token, "");

    public async Task<Answer> SendAsync(HttpMethod method, string path, string? body, string? key, string? token, string kind)
    {
        using var request = new HttpRequestMessage(method, new Uri(_client.BaseAddress!, path));
        if (body is not null)
        {
            request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(body));
            request.Content.Headers.ContentType = kind.Length == 0 ? null : MediaTypeHeaderValue.Parse(kind);
        }

        if (key is not null)
        {
            request.Headers.TryAddWithoutValidation("Idempotency-Key", key);
        }

        if (token is not null)
        {
            request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
        }

        using HttpResponseMessage response = await _client.SendAsync(request);
        string text = await response.Content.ReadAsStringAsync();
        return new Answer(response.StatusCode, text, response.Headers.Location?.OriginalString,
            response.Content.Headers.ContentType?.MediaType)
        {
            Record = response.Headers.TryGetValues("Ambrosia-Record", out IEnumerable<string>? record) ? record.Single() : "",
            InstanceId = response.Headers.TryGetValues("Ambrosia-Instance-Id", out IEnumerable<string>? id) ? id.Single() : "",
        };
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        await _server.DisposeAsync();
    }

    /// <summary>An app that answers queries.</summary>
    public sealed class AskedApp
    {
        public Func<AppQuery, CancellationToken, Task<AppAnswer>> Answer { get; set; } =
            static (_, _) => Task.FromResult(new AppAnswer(0, QueryStatus.Unknown, []));
    }

    public sealed record Answer(HttpStatusCode Status, string Text, string? Location, string? Kind)
    {
        public string Record { get; init; } = "";

        public string InstanceId { get; init; } = "";

        public string Code => Problem("code");

        public string Detail => Problem("detail");

        public string Problem(string member)
        {
            using JsonDocument document = JsonDocument.Parse(Text);
            return document.RootElement.GetProperty(member).ToString();
        }
    }
}
