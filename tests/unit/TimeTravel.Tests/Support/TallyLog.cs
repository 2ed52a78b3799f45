using Ambrosia.Coordinator.Settings;
using Ambrosia.InProcess;
using Ambrosia.Primitives;
using Ambrosia.TimeTravel.Tests.Apps;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>A tally that works, on files, as fast as it can.</summary>
public sealed class TallyLog : IAsyncDisposable
{
    private const int AtOnce = 2000;
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);
    private static readonly string[] s_names = [.. Enumerable.Range(0, 101).Select(static n => $"n{n}")];
    private readonly Scratch _scratch = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly ServiceProvider _services = new ServiceCollection().AddSingleton<CounterDoor>().BuildServiceProvider();
    private readonly Task _running;

    private TallyLog(long checkpointEvery, RetainOption retain, long segmentSize)
    {
        var launcher = new InProcessCoordinator(
            new InProcessOptions
            {
                Store = $"file:{_scratch.Path}/store", Catalog = $"file:{_scratch.Path}/catalog", Peers = PeerLinks.Memory,
                Configure = options =>
                {
                    (options.Retain, options.CheckpointEvery) = (retain, checkpointEvery);
                    options.SegmentSize = segmentSize;
                },
            },
            NullLoggerFactory.Instance, environment: static _ => null);
        var options = new ImmortalOptions { InstanceName = "tally" };
        var host = new ImmortalHost(static () => new Tally(), options, services: _services);
        _running = launcher.RunAsync(options, (link, token) => host.RunAsync(link, token), _stop.Token);
    }

    public string Folder => Path.Combine(_scratch.Path, "store", "tally");

    /// <summary>Starts one that takes a checkpoint whenever so many bytes have been logged.</summary>
    public static TallyLog Start(long checkpointEvery) => new(checkpointEvery, new RetainOption(RetainKind.All, 0), 4 << 20);

    /// <summary>Starts one that keeps two checkpoints only, and the log behind them.</summary>
    public static TallyLog StartForgetful() => new(48 << 10, new RetainOption(RetainKind.Count, 2), 64 << 10);

    /// <summary>Has it handle this many messages: half of them ticks, the others what they make it tell itself.</summary>
    public async Task WorkAsync(long messages)
    {
        CounterProxy self = await _services.GetRequiredService<CounterDoor>().Counter.WaitAsync(s_patience);
        var ticks = new Task[AtOnce];
        for (long i = 0; i < messages / 2; i += AtOnce)
        {
            for (int n = 0; n < AtOnce; n++)
            {
                ticks[n] = self.TickImpulse(s_names[(i + n) % s_names.Length], i + n);
            }

            await Task.WhenAll(ticks).WaitAsync(s_patience);
        }
    }

    /// <summary>Ends it; the log stays until <see cref="DisposeAsync"/>.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync();
        await _running.WaitAsync(s_patience);
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        await _services.DisposeAsync();
        _stop.Dispose();
        _scratch.Dispose();
    }
}
