using Ambrosia.Coordinator.Settings;
using Ambrosia.InProcess;
using Ambrosia.TimeTravel.Tests.Apps;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>A log of the kiosk: each of its sales asked for an effect, and has its outcome.</summary>
public sealed class KioskLog : IAsyncLifetime, IDisposable
{
    public const int Sales = 20;
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(3);
    private readonly Scratch _scratch = new();

    public string Folder => Path.Combine(_scratch.Path, "store", "kiosk");

    /// <summary>What performed its effects.</summary>
    internal Printer Printer { get; } = new();

    public async Task InitializeAsync()
    {
        using var stop = new CancellationTokenSource();
        var self = new TaskCompletionSource<KioskProxy>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using ServiceProvider services = new ServiceCollection().AddSingleton(self).BuildServiceProvider();
        string root = _scratch.Path;
        var launcher = new InProcessCoordinator(
            new InProcessOptions
            {
                Store = $"file:{root}/store", Catalog = $"file:{root}/catalog", Peers = PeerLinks.Memory,
                Configure = static options => options.Retain = new RetainOption(RetainKind.All, 0),
            },
            NullLoggerFactory.Instance, environment: static _ => null);
        var options = new ImmortalOptions { InstanceName = "kiosk" };
        options.UseEffects<IReceipts>(_ => Printer);
        var host = new ImmortalHost(static () => new Kiosk(), options, services: services);
        Task running = launcher.RunAsync(options, (link, token) => host.RunAsync(link, token), stop.Token);
        KioskProxy kiosk = await self.Task.WaitAsync(s_patience);
        for (int i = 1; i <= Sales; i++)
        {
            await kiosk.SellImpulse("tea", i).WaitAsync(s_patience);
        }

        await Printer.All.WaitAsync(s_patience); // The last outcome is sent before the app leaves.
        await stop.CancelAsync();
        await running.WaitAsync(s_patience);
    }

    public Task DisposeAsync() => Task.CompletedTask;

    public void Dispose() => _scratch.Dispose();

    internal static void Opened(ImmortalContext context, KioskProxy self) =>
        context.Services?.GetService<TaskCompletionSource<KioskProxy>>()?.TrySetResult(self);
}
