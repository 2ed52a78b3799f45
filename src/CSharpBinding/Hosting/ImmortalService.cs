using Ambrosia.Telemetry;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Hosting;

/// <summary>
/// An immortal inside a generic host. When it cannot go on, the host stops, with the exit code of an app that runs one immortal alone.
/// </summary>
/// <param name="name">Name of the instance in code.</param>
/// <param name="create">Makes a fresh object of the immortal.</param>
/// <param name="configure">Reads the options; null if this immortal is not to start in this process.</param>
/// <param name="services">The host's services.</param>
/// <param name="monitor">Takes what the immortal does.</param>
internal sealed class ImmortalService(
    string name, Func<Immortal> create, Func<ImmortalOptions?> configure, IServiceProvider services, ServingMonitor monitor)
    : BackgroundService
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);
    private readonly ILoggerFactory _loggers = services.GetRequiredService<ILoggerFactory>();
    private readonly IHostApplicationLifetime _lifetime = services.GetRequiredService<IHostApplicationLifetime>();
    private readonly TimeProvider _time = services.GetService<TimeProvider>() ?? TimeProvider.System;

    /// <inheritdoc/>
    public override async Task StopAsync(CancellationToken cancellationToken)
    {
        await base.StopAsync(cancellationToken);
        if (cancellationToken.IsCancellationRequested && ExecuteTask is { IsCompleted: false } running)
        {
            // Others have used up the host's time, as a web server that waits for a request does. The immortal gets some of its own.
            await Task.WhenAny(running, Task.Delay(s_patience, _time, CancellationToken.None));
        }
    }

    /// <inheritdoc/>
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        ILogger logger = _loggers.CreateLogger($"Ambrosia.{name}");
        try
        {
            ImmortalOptions? options = configure();
            if (options is null)
            {
                BindingLog.StaysOut(logger, name);
                monitor.StaysOut();
                return;
            }

            var host = new ImmortalHost(create, options, logger, _time, services) { Monitor = monitor };
            await RunAsync(host, options, stoppingToken);
            Environment.ExitCode = host.WasReplaced ? (int)AppExitCode.Replaced : Environment.ExitCode;
            monitor.Ended(
                host.WasReplaced ? "another app has taken its place" : "it was asked to stop",
                (host.WasReplaced ? AppExitCode.Replaced : AppExitCode.Stopped).ToString());
        }
        catch (OperationCanceledException) when (stoppingToken.IsCancellationRequested)
        {
            monitor.Ended("it was asked to stop", AppExitCode.Stopped.ToString());
            throw;
        }
        catch (Exception failure) when (AppFailure.CodeOf(failure) is { } code)
        {
            BindingLog.CannotGoOn(logger, name, AppFailure.TextOf(failure));
            BindingLog.Ended(logger, failure);
            Environment.ExitCode = (int)code;
            monitor.Ended(AppFailure.TextOf(failure), failure is BindingRefusedException refused ? refused.Code : code.ToString());
        }
        catch (Exception failure)
        {
            // Also a cancellation that nobody asked for, such as that of a service's own time-out in a constructor.
            monitor.Ended($"{failure.GetType().FullName}: {failure.Message}", AppExitCode.Failed.ToString());
            Environment.ExitCode = (int)AppExitCode.Failed;
            throw; // The host says what it was, and stops.
        }

        if (!stoppingToken.IsCancellationRequested)
        {
            await StopHostAsync(stoppingToken);
        }
    }

    private async Task RunAsync(ImmortalHost host, ImmortalOptions options, CancellationToken stop)
    {
        ICoordinatorLauncher? launcher = options.BindingSocket.Length == 0 ? services.GetService<ICoordinatorLauncher>() : null;
        if (launcher is null)
        {
            await host.RunAsync(stop);
            return;
        }

        host.CheckEffects();
        try
        {
            await launcher.RunAsync(options, (link, ended) => host.RunAsync(link, ended), stop);
        }
        finally
        {
            await host.EndAsync();
        }
    }

    // A host that is asked to stop before it has started throws, and its stack trace would be all that anybody sees.
    private async Task StopHostAsync(CancellationToken stop)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(_lifetime.ApplicationStarted, stop);
        await Task.Delay(s_patience, _time, patience.Token).ConfigureAwait(
            ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        _lifetime.StopApplication();
    }
}
