using Ambrosia;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.InProcess;
using Ambrosia.Primitives;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace WebPage;

/// <summary>A mill and a bakery in this process, with logs on files.</summary>
internal sealed class Works(string home, EndPointName? admin, string ingress = "")
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(3);

    /// <summary>What an attacker might send to see markup run in the page.</summary>
    public static readonly string[] Hostile =
    [
        "<script>document.title='planted'</script>", "\"><img src=x onerror=\"document.title='planted'\">",
        "</textarea><b id=planted>x</b>", "javascript:document.title='planted'",
        "{{constructor.constructor('document.title=1')()}}", "\u202Eright to left", "line\nbreak\0and nothing", "']}\\",
        new string('<', 3000),
    ];

    /// <summary>Runs both while something is done with the mill.</summary>
    public async Task RunAsync(Func<MillProxy, Task> work)
    {
        using var stop = new CancellationTokenSource();
        var launcher = new InProcessCoordinator(
            new InProcessOptions
            {
                Store = $"file:{home}/store", Catalog = $"file:{home}/catalog", Peers = PeerLinks.Memory,
                Configure = options =>
                {
                    options.Retain = new RetainOption(RetainKind.All, 0);
                    options.Admin = options.InstanceName == "mill" ? admin : null;
                    options.AdminTokenFile = $"{home}/admin-token";
                },
            },
            NullLoggerFactory.Instance, environment: static _ => null);
        await using ServiceProvider services = new ServiceCollection().AddSingleton<MillDoor>().BuildServiceProvider();
        Task[] running = [StartAsync("bakery", null), StartAsync("mill", services)];
        await work(await services.GetRequiredService<MillDoor>().Mill.WaitAsync(s_patience));
        await stop.CancelAsync();
        await Task.WhenAll(running).WaitAsync(s_patience);

        Task StartAsync(string name, IServiceProvider? known)
        {
            var options = new ImmortalOptions { InstanceName = name, Ingress = name == "mill" ? ingress : "" };
            var host = new ImmortalHost(static () => new Mill(), options, services: known);
            return launcher.RunAsync(options, (link, token) => host.RunAsync(link, token), stop.Token);
        }
    }
}
