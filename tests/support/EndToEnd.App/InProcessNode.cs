using Ambrosia.Hosting;
using Ambrosia.InProcess;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace EndToEnd;

/// <summary>A node whose coordinator runs in the app's own process; other nodes reach it by TCP.</summary>
internal static class InProcessNode
{
    public static async Task<int> RunAsync(string name, string coordinatorArguments)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging.AddSimpleConsole(static console => console.SingleLine = true);
        builder.Services
            .AddInProcessCoordinator(static options => options.Peers = PeerLinks.Tcp)
            .AddImmortal<Node>(name, options => Till.Register(options).CoordinatorArguments = coordinatorArguments);
        using IHost host = builder.Build();
        await host.RunAsync();
        return Environment.ExitCode;
    }
}
