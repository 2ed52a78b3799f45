using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Managed;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>A gateway with callers alice and bob, its catalog, and a client of it.</summary>
internal sealed class GatewayUnderTest : IAsyncDisposable
{
    public const string Id = "0123456789abcdef0123456789abcdef";
    private readonly TemporaryFolder _folder = new();
    private readonly HttpClient _client;
    private readonly KeptLog _log = new();
    private GatewayServer? _server;
    private int _isDisposed;

    private GatewayUnderTest(string authority)
    {
        IsEncrypted = authority.Length > 0;
        Catalog = new FileCatalog(new ManagedFileSystem(TimeProvider.System), _folder["catalog"], TimeProvider.System);
        _client = new HttpClient(Handler(authority));
    }

    public FileCatalog Catalog { get; }

    public int Port => Server.EndPoint.Port;

    public Uri Address => new(IsEncrypted ? $"https://localhost:{Port}" : $"http://127.0.0.1:{Port}");

    public string TokenFile => _folder["own"];

    public string CallersFile => _folder["callers"];

    /// <summary>Where the catalog has an instance.</summary>
    public string EntryFile(string instance) => Path.Combine(_folder["catalog"], ".catalog", $"{instance}.json");

    /// <summary>What it has logged.</summary>
    public IReadOnlyList<string> Lines => _log.Lines.All;

    private bool IsEncrypted { get; }

    public GatewayServer Server => _server ?? throw new InvalidOperationException();

    /// <param name="change">What is asked for beside callers and tokens.</param>
    /// <param name="hasTokens">Whether callers show tokens.</param>
    /// <param name="authority">The authority that has signed its certificate; empty if it has none.</param>
    public static async Task<GatewayUnderTest> StartAsync(
        Func<GatewayOptions, GatewayOptions>? change = null, bool hasTokens = true, string authority = "")
    {
        var gateway = new GatewayUnderTest(authority);
        await File.WriteAllTextAsync(gateway._folder["callers"], $"alice {Hash("one")}\nbob {Hash("two")} Order\n");
        var options = new GatewayOptions
        {
            Listen = EndPointName.Tcp("127.0.0.1", 0),
            Tokens = hasTokens ? gateway._folder["callers"] : "",
            OwnTokenFile = hasTokens ? gateway._folder["own"] : "",
        };
        gateway._server = await GatewayServer.StartAsync(
            change?.Invoke(options) ?? options, gateway.Catalog, static () => 1, TimeProvider.System, gateway._log, default);
        return gateway;
    }

    /// <summary>An instance that trusts this gateway, and a caller carol of its own.</summary>
    public async Task<IngressUnderTest> AddAsync(
        string instance = "shop", string id = Id, IngressCertificate? certificate = null, bool logEndsWithProcess = false)
    {
        string file = _folder[$"callers-{instance}-{Guid.NewGuid():N}"];
        await File.WriteAllTextAsync(file, $"{Server.TrustLine}\ncarol {Hash("three")}\n");
        IngressUnderTest ingress = await IngressUnderTest.StartAsync(
            tokens: IngressTokens.Load(file, TimeProvider.System, NullLogger.Instance), instance: instance, certificate: certificate,
            logEndsWithProcess: logEndsWithProcess);
        ingress.Entrance.InstanceId = new Guid(id);
        await PutAsync(instance, id, ingress.Address);
        return ingress;
    }

    public async Task PutAsync(string instance, string id, Uri address)
    {
        string? version = (await Catalog.GetAsync(instance))?.Version;
        var entry = new CatalogEntry { Instance = instance, InstanceId = id, IngressAddress = address.ToString() };
        Assert.NotNull(await Catalog.PutAsync(entry, version));
    }

    public async Task<(int Status, string Text, HttpResponseMessage Response)> SendAsync(
        HttpMethod method, string path, string? body = null, string? key = null, string? token = "one",
        params (string Name, string Value)[] headers)
    {
        using var request = new HttpRequestMessage(method, new Uri(Address, path));
        if (body is not null)
        {
            request.Content = new StringContent(body, Encoding.UTF8, "application/json");
        }

        foreach ((string name, string value) in headers.Append(("Idempotency-Key", key ?? ""))
            .Append(("Authorization", token is null ? "" : $"Bearer {token}")).Where(static each => each.Item2.Length > 0))
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value));
        }

        HttpResponseMessage response = await _client.SendAsync(request);
        return ((int)response.StatusCode, await response.Content.ReadAsStringAsync(), response);
    }

    public Task<(int Status, string Text, HttpResponseMessage Response)> OrderAsync(
        string? key = null, string? token = "one", string instance = "shop", params (string Name, string Value)[] headers) =>
        SendAsync(HttpMethod.Post, $"/v1/immortals/{instance}/Order", """{"item":"tea"}""", key, token, headers);

    public static SocketsHttpHandler Handler(string authority)
    {
        var handler = new SocketsHttpHandler { UseProxy = false, RequestHeaderEncodingSelector = static (_, _) => Encoding.UTF8 };
        if (authority.Length > 0)
        {
            var policy = new X509ChainPolicy
                { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
            policy.CustomTrustStore.ImportFromPemFile(authority);
            handler.SslOptions.CertificateChainPolicy = policy;
        }

        return handler;
    }

    public static string CodeOf(string text)
    {
        using JsonDocument document = JsonDocument.Parse(text);
        return document.RootElement.GetProperty("code").GetString()!;
    }

    public static string Hash(string token) => Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(token))).ToLowerInvariant();

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) > 0)
        {
            return; // A test has ended it before.
        }

        await Server.DisposeAsync();
        _client.Dispose();
        _log.Dispose();
        _folder.Dispose();
    }
}
