using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace EndToEnd;

/// <summary>A host with two immortals, each beside a coordinator of its own: what an ordinary app looks like that has more than
/// one.</summary>
internal static class HostOfTwo
{
    public static async Task<int> RunAsync(string name)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging.AddSimpleConsole(static console => console.SingleLine = true);
        builder.Services.AddImmortal<Node>(name, static options => Till.Register(options)).AddImmortal<Bystander>("bystander");
        using IHost host = builder.Build();
        await host.RunAsync();
        return Environment.ExitCode;
    }
}
