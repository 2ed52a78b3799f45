using Ambrosia.Coordinator.Settings;
using Ambrosia.InProcess;
using Ambrosia.Primitives;
using Ambrosia.TimeTravel.Tests.Apps;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>A log of the counter, made once with the version that the changed ones are compared with.</summary>
public sealed class CounterLog : IAsyncLifetime, IDisposable
{
    public const int Ticks = 4000;
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(3);
    private readonly Scratch _scratch = new();

    public string Folder => Path.Combine(_scratch.Path, "store", "counter");

    public async Task InitializeAsync() => await MakeAsync(_scratch.Path, static () => new Counter(), Ticks);

    public Task DisposeAsync() => Task.CompletedTask;

    public void Dispose() => _scratch.Dispose();

    /// <summary>Runs a counter on files below a folder until it has handled so many ticks and all that came of them. A small log is one to
    /// keep: small segments, many checkpoints, and no amounts that suspend a call.</summary>
    public static async Task MakeAsync(string root, Func<Immortal> create, int ticks, string name = "counter", bool small = false)
    {
        using var stop = new CancellationTokenSource();
        await using ServiceProvider services = new ServiceCollection().AddSingleton<CounterDoor>().BuildServiceProvider();
        var launcher = new InProcessCoordinator(
            new InProcessOptions
            {
                Store = $"file:{root}/store", Catalog = $"file:{root}/catalog", Peers = PeerLinks.Memory,
                Configure = options =>
                {
                    (options.Retain, options.CheckpointEvery) = (new RetainOption(RetainKind.All, 0), small ? 8 << 10 : 64 << 10);
                    options.SegmentSize = small ? 64 << 10 : options.SegmentSize;
                },
            },
            NullLoggerFactory.Instance, environment: static _ => null);
        Task running = RunAsync(launcher, create, name, services, stop.Token);
        CounterProxy self = await services.GetRequiredService<CounterDoor>().Counter.WaitAsync(s_patience);
        int atOnce = small ? 10 : 100;
        for (int i = 0; i < ticks; i += atOnce)
        {
            await Task.WhenAll(Enumerable.Range(i, Math.Min(atOnce, ticks - i))
                .Select(n => self.TickImpulse($"n{n % 13}", small ? (7 * n) + 1 : n))).WaitAsync(s_patience);
        }

        await stop.CancelAsync();
        await running.WaitAsync(s_patience);
    }

    private static async Task RunAsync(InProcessCoordinator launcher, Func<Immortal> create, string name, IServiceProvider services,
        CancellationToken stop)
    {
        var options = new ImmortalOptions { InstanceName = name };
        var host = new ImmortalHost(create, options, services: services);
        await launcher.RunAsync(options, (link, token) => host.RunAsync(link, token), stop);
    }
}
