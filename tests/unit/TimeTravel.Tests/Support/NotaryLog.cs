using System.Net;
using System.Text;
using Ambrosia.Coordinator.Settings;
using Ambrosia.InProcess;
using Ambrosia.TimeTravel.Tests.Apps;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>A log of the notary: three awakeables from two lives at two addresses, of which one was completed, one rejected, one is
/// open.</summary>
public sealed class NotaryLog : IAsyncLifetime, IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(3);
    private readonly Scratch _scratch = new();

    public string Folder => Path.Combine(_scratch.Path, "store", "notary");

    /// <summary>Addresses that were given away.</summary>
    internal List<string> Urls { get; } = [];

    public async Task InitializeAsync()
    {
        await LiveAsync("http://first.example", async (notary, _) =>
        {
            Urls.Add(await notary.AskImpulse("one").WaitAsync(s_patience));
            Urls.Add(await notary.AskImpulse("two").WaitAsync(s_patience));
        });
        await LiveAsync("http://second.example/notary", async (notary, port) =>
        {
            Urls.Add(await notary.AskImpulse("three").WaitAsync(s_patience));
            await SayAsync(Urls[0], port, "", """{"Text":"yes","Weight":"1.50"}""");
            await SayAsync(Urls[2], port, "/reject", """{"reason":"no time"}""");
        });
    }

    public Task DisposeAsync() => Task.CompletedTask;

    public void Dispose() => _scratch.Dispose();

    internal static void Opened(ImmortalContext context, NotaryProxy self) =>
        context.Services?.GetService<TaskCompletionSource<NotaryProxy>>()?.TrySetResult(self);

    private async Task LiveAsync(string url, Func<NotaryProxy, int, Task> work)
    {
        using var stop = new CancellationTokenSource();
        var self = new TaskCompletionSource<NotaryProxy>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using ServiceProvider services = new ServiceCollection().AddSingleton(self).BuildServiceProvider();
        string root = _scratch.Path;
        int port = FreePorts.One();
        var launcher = new InProcessCoordinator(
            new InProcessOptions
            {
                Store = $"file:{root}/store", Catalog = $"file:{root}/catalog", Peers = PeerLinks.Memory,
                Configure = options => (options.Retain, options.IngressUrl) = (new RetainOption(RetainKind.All, 0), url),
            },
            NullLoggerFactory.Instance, environment: static _ => null);
        var options = new ImmortalOptions { InstanceName = "notary", Ingress = $"127.0.0.1:{port}" };
        var host = new ImmortalHost(static () => new Notary(), options, services: services);
        Task running = launcher.RunAsync(options, (link, token) => host.RunAsync(link, token), stop.Token);
        await work(await self.Task.WaitAsync(s_patience), port);
        await stop.CancelAsync();
        await running.WaitAsync(s_patience);
    }

    // The address is another by now; what names the awakeable is the same.
    private static async Task SayAsync(string url, int port, string action, string body)
    {
        using var client = new HttpClient();
        using var content = new StringContent(body, Encoding.UTF8, "application/json");
        string id = url[(url.LastIndexOf('/') + 1)..];
        using HttpResponseMessage answer = await client.PostAsync(new Uri($"http://127.0.0.1:{port}/v1/awakeables/{id}{action}"), content);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
    }
}
