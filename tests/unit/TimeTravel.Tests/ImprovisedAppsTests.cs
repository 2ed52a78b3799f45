using System.Globalization;
using Ambrosia.Coordinator.Settings;
using Ambrosia.InProcess;
using Ambrosia.Inspection.Text;
using Ambrosia.Primitives;
using Ambrosia.Replay;
using Ambrosia.TimeTravel.Comparing;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Tests.Apps;
using Ambrosia.TimeTravel.Tests.Support;
using Ambrosia.TimeTravel.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Xunit.Abstractions;

namespace Ambrosia.TimeTravel.Tests;

/// <summary>
/// A determinism check that cries wolf is not used. Apps drawn by lot, all deterministic, are run, and verified against themselves and
/// against their logs.
/// </summary>
public sealed class ImprovisedAppsTests(ITestOutputHelper output)
{
    private const int Messages = 160;
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    [Fact]
    public async Task No_deterministic_app_is_ever_flagged()
    {
        int first = int.Parse(Environment.GetEnvironmentVariable("AMBROSIA_IMPROVISED_SEED") ?? "1", CultureInfo.InvariantCulture);
        int apps = Extent.Of(everyday: 8, full: 50, soak: 5000);
        var sum = (Messages: 0L, Outputs: 0L, States: 0, Recoveries: 0, Digests: 0L);
        for (int seed = first; seed < first + apps; seed++)
        {
            using var scratch = new Scratch();
            await MakeAsync(scratch.Path, seed);
            string folder = Path.Combine(scratch.Path, "store", "improvised");
            RetroactiveReport twice = await VerifyAsync(folder, seed, against: true);
            RetroactiveReport log = await VerifyAsync(folder, seed, against: false);
            Assert.True(twice.IsSame
                && log.IsSame, $"seed {seed}:\n{ReportText.People(twice, new MethodNames(), "same")}\n"
                + $"{ReportText.People(log, new MethodNames(), "same")}");
            sum = (sum.Messages + twice.Messages, sum.Outputs + twice.Outputs, sum.States + twice.StatesCompared + log.StatesCompared,
                sum.Recoveries + twice.Recoveries, sum.Digests + log.DigestsCompared);
        }

        Report.Add(output, string.Create(CultureInfo.InvariantCulture,
            $"improvised apps: {apps} (seeds {first}..{first + apps - 1}), {sum.Messages} messages, {sum.Outputs} outputs, {sum.States} "
            + $"states and {sum.Digests} digests compared, {sum.Recoveries} recoveries, no false alarm"));
        Assert.True(sum.Messages > apps * Messages && sum.Outputs > apps * 50L && sum.Recoveries > apps && sum.States > 3 * apps
            && sum.Digests > 10 * apps, $"{sum}: next to nothing was compared");
    }

    private static async Task<RetroactiveReport> VerifyAsync(string folder, int seed, bool against)
    {
        await using ReplayLog log = await ReplayLog.OpenFolderAsync(folder);
        await using var app = new ObjectApp(() => new Improvised(seed), log.Instance);
        await using ObjectApp? other = against ? new ObjectApp(() => new Improvised(seed), log.Instance) : null;
        return await RetroactiveRun.RunAsync(log, app, other, new RetroactiveOptions { Recoveries = 100 });
    }

    private static async Task MakeAsync(string root, int seed)
    {
        using var stop = new CancellationTokenSource();
        await using ServiceProvider services = new ServiceCollection().AddSingleton<ImprovisedDoor>().BuildServiceProvider();
        var launcher = new InProcessCoordinator(
            new InProcessOptions
            {
                Store = $"file:{root}/store", Catalog = $"file:{root}/catalog", Peers = PeerLinks.Memory,
                Configure = static options => (options.Retain, options.CheckpointEvery) = (new RetainOption(RetainKind.All, 0), 8 << 10),
            },
            NullLoggerFactory.Instance, environment: static _ => null);
        var options = new ImmortalOptions { InstanceName = "improvised" };
        var host = new ImmortalHost(() => new Improvised(seed), options, services: services);
        Task running = launcher.RunAsync(options, (link, token) => host.RunAsync(link, token), stop.Token);
        ImprovisedProxy self = await services.GetRequiredService<ImprovisedDoor>().App.WaitAsync(s_patience);
        for (int i = 0; i < Messages; i += 16)
        {
            await Task.WhenAll(Enumerable.Range(i, 16).Select(number => self.BeginImpulse(number))).WaitAsync(s_patience);
        }

        await stop.CancelAsync();
        await running.WaitAsync(s_patience);
    }
}
