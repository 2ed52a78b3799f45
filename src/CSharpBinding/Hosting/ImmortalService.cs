using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Hosting;

/// <summary>An immortal inside a generic host. When it cannot go on, the host stops: app and coordinator live and die together.</summary>
internal sealed class ImmortalService(
    string name, Func<Immortal> create, ImmortalOptions options, ILoggerFactory loggers, IHostApplicationLifetime lifetime, IServiceProvider services, TimeProvider time)
    : BackgroundService
{
    /// <inheritdoc/>
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        ILogger logger = loggers.CreateLogger($"Ambrosia.{name}");
        var host = new ImmortalHost(create, options, logger, time, services);
        try
        {
            ICoordinatorLauncher? launcher = options.BindingSocket.Length == 0 ? services.GetService<ICoordinatorLauncher>() : null;
            await (launcher is null
                ? host.RunAsync(stoppingToken)
                : launcher.RunAsync(options, (link, stop) => host.RunAsync(link, stop), stoppingToken));
        }
        catch (LinkClosedException lost)
        {
            BindingLog.CoordinatorLost(logger, name, lost.Message);
            Environment.ExitCode = (int)AppExitCode.CoordinatorLost;
        }

        Environment.ExitCode = host.WasReplaced ? (int)AppExitCode.Replaced : Environment.ExitCode;
        if (!stoppingToken.IsCancellationRequested)
        {
            lifetime.StopApplication();
        }
    }
}
