using Ambrosia.Coordinator.Settings;
using Ambrosia.InProcess;
using Ambrosia.TimeTravel.Tests.Apps;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>A log of the watchman, whose schedule ran some times in a time zone that no other process knows.</summary>
public sealed class WatchmanLog : IAsyncLifetime, IDisposable
{
    /// <summary>The zone.</summary>
    public const string Zone = "Nowhere/At-all";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(3);
    private readonly Scratch _scratch = new();

    public string Folder => Path.Combine(_scratch.Path, "store", "watchman");

    public async Task InitializeAsync()
    {
        using var stop = new CancellationTokenSource();
        var self = new TaskCompletionSource<WatchmanProxy>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using ServiceProvider services = new ServiceCollection().AddSingleton(self).BuildServiceProvider();
        string root = _scratch.Path;
        var launcher = new InProcessCoordinator(
            new InProcessOptions
            {
                Store = $"file:{root}/store", Catalog = $"file:{root}/catalog", Peers = PeerLinks.Memory,
                Configure = static options => options.Retain = new RetainOption(RetainKind.All, 0),
            },
            NullLoggerFactory.Instance, environment: static _ => null);
        var options = new ImmortalOptions
        {
            InstanceName = "watchman",
            TimeZones = static id => TimeZoneInfo.CreateCustomTimeZone(id, TimeSpan.FromMinutes(77), id, id),
        };
        var host = new ImmortalHost(static () => new Watchman(), options, services: services);
        Task running = launcher.RunAsync(options, (link, token) => host.RunAsync(link, token), stop.Token);
        WatchmanProxy watchman = await self.Task.WaitAsync(s_patience);
        await watchman.BeginImpulse(Zone).WaitAsync(s_patience);
        for (int rounds = 0; rounds < 3; rounds = await watchman.RoundsImpulse().WaitAsync(s_patience))
        {
            await Task.Delay(100);
        }

        await stop.CancelAsync();
        await running.WaitAsync(s_patience);
    }

    public Task DisposeAsync() => Task.CompletedTask;

    public void Dispose() => _scratch.Dispose();

    internal static void Opened(ImmortalContext context, WatchmanProxy self) =>
        context.Services?.GetService<TaskCompletionSource<WatchmanProxy>>()?.TrySetResult(self);
}
