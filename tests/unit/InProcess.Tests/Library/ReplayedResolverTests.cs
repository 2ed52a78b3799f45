using Ambrosia.Coordinator.Settings;
using Ambrosia.Replay;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.InProcess.Tests.Library;

/// <summary>The log of an app that names its resolver in its options is replayed with it.</summary>
public sealed class ReplayedResolverTests : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(3);
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-resolver-").FullName;

    private string Log => Path.Combine(_folder, "store", "thermometer");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_replay_reads_values_with_the_resolver_that_it_is_given()
    {
        await MeasureAsync(205, -5, 17);

        Thermometer end = await ImmortalReplay.From(Log).Resolver(TemperatureResolver.Instance).Checkpoint(0).ToEnd<Thermometer>();

        Assert.Equal([205, -5, 17], end.Tenths);
        Assert.Empty((await ImmortalReplay.From(Log).Checkpoint(0).ToEnd<Thermometer>()).Tenths); // No argument can be read without it.
    }

    [Fact]
    public async Task A_log_is_a_test_case_with_the_resolver_that_it_is_given()
    {
        await MeasureAsync(205, -5, 17);

        await new RetroactiveLog(Log).Resolver(TemperatureResolver.Instance).Verify<Thermometer>();
        await new RetroactiveLog(Log).Resolver(TemperatureResolver.Instance)
            .Compare(static () => new Thermometer(), static () => new Thermometer());

        await Assert.ThrowsAsync<RetroactiveTestException>(() => new RetroactiveLog(Log).Verify<Thermometer>());
    }

    private async Task MeasureAsync(params int[] tenths)
    {
        using var stop = new CancellationTokenSource();
        var self = new TaskCompletionSource<ThermometerProxy>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using ServiceProvider services = new ServiceCollection().AddSingleton(self).BuildServiceProvider();
        var launcher = new InProcessCoordinator(
            new InProcessOptions
            {
                Store = $"file:{_folder}/store", Catalog = $"file:{_folder}/catalog", Peers = PeerLinks.Memory,
                Configure = static options => options.Retain = new RetainOption(RetainKind.All, 0),
            },
            NullLoggerFactory.Instance, environment: static _ => null);
        var options = new ImmortalOptions { InstanceName = "thermometer", Resolver = TemperatureResolver.Instance };
        var host = new ImmortalHost(static () => new Thermometer(), options, services: services);
        Task running = launcher.RunAsync(options, (link, token) => host.RunAsync(link, token), stop.Token);
        ThermometerProxy thermometer = await self.Task.WaitAsync(s_patience);
        foreach (int each in tenths)
        {
            await thermometer.MeasuredImpulse(Temperature.FromTenths(each)).WaitAsync(s_patience);
        }

        await stop.CancelAsync();
        await running.WaitAsync(s_patience);
    }
}
