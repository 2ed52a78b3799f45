using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Recovery;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.CoordinatorHost.Places;
using Ambrosia.Inspection;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost;

/// <summary>Runs one core with its admin and health addresses until it ends or is asked to, and decides how the process ends.</summary>
public sealed class HostedCoordinator(CoordinatorOptions options, LogStoreEnvironment environment, TimeProvider time, ILoggerProvider log)
{
    private static readonly TimeSpan s_adminLook = TimeSpan.FromSeconds(1);
    private readonly ILogger _logger = log.CreateLogger("coordinator");

    /// <summary>Returns when the process may end. Every failure has been reported then.</summary>
    public async Task<ExitCode> RunAsync(IServedCore core, StopRequest stop)
    {
        string? folder = options.Store.StartsWith("file:", StringComparison.Ordinal) && !options.NoLog
            ? Path.Combine(LogStores.RootOf(options.Store), options.InstanceName)
            : null;
        DiskFigures? disk = folder is null ? null : new DiskFigures(environment.Files, folder, time);
        using var metrics = new CoordinatorMetrics(options.InstanceName, core.Status, disk);
        bool measures = options.Admin is not null || options.Health is not null;
        using MetricsCollector? collector = measures
            ? new MetricsCollector(options.MetricsOldInstanceLabel, disk is null ? null : disk.LookAsync) : null;
        AdminServer? admin = null;
        HealthServer? health = null;
        IngressServer? ingress = null;
        using var note = new ServingNote(options, _logger);
        using var ending = new CancellationTokenSource();
        Task<AdminServer?> opening = Task.FromResult<AdminServer?>(null);
        try
        {
            if (options is { Admin: { } implied, AdminIsGiven: false })
            {
                opening = OpenImpliedAdminAsync(implied, core.Status, collector, folder, note, ending.Token);
            }
            else if (options.Admin is { } address)
            {
                admin = await OpenAdminAsync(address, core.Status, collector, folder, note, stop.Token);
            }

            if (options.Health is { } healthAddress)
            {
                health = await HealthServer.StartAsync(healthAddress, core.Status, collector, time, log, stop.Token);
                CoordinatorLog.HealthListening(_logger, options.InstanceName, health.EndPoint.ToString());
            }

            if (options.Ingress is { } outside)
            {
                ingress = await OpenIngressAsync(outside, core, stop.Token);
            }

            await ServeAsync(core, stop);
            return ExitCode.Stopped;
        }
        catch (OperationCanceledException) when (stop.Token.IsCancellationRequested)
        {
            return ExitCode.Stopped;
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            return Failure.Report(_logger, error);
        }
        finally
        {
            await (ingress?.DisposeAsync() ?? default);
            await (health?.DisposeAsync() ?? default);
            await ending.CancelAsync();
            if ((admin ?? await opening) is { } serving)
            {
                await serving.DisposeAsync();
            }
        }
    }

    private async Task<AdminServer> OpenAdminAsync(
        EndPointName address, ICoordinatorStatus status, MetricsCollector? collector, string? folder, ServingNote note,
        CancellationToken stop)
    {
        string token = AdminToken.Of(options, environment.Entropy);
        AdminServer admin = await AdminServer.StartAsync(address, token, status, collector, PageLogs.Of(OpenLogAsync, folder), time, log,
            stop);
        note.Write(admin.EndPoint);
        options.AdminListens(admin.EndPoint);
        CoordinatorLog.AdminListening(_logger, options.InstanceName, admin.EndPoint.ToString());
        if (token.Length > 0)
        {
            CoordinatorLog.AdminAsksForToken(_logger, options.InstanceName, admin.EndPoint.ToString(), options.AdminTokenFile);
        }

        return admin;
    }

    private async Task<IngressServer> OpenIngressAsync(EndPointName address, IServedCore core, CancellationToken stop)
    {
        var doors = new IngressDoors(core.Outside, core.Awakeables, core.Status.QueryAsync, core.Shapes)
        {
            LogEndsWithProcess = options.LogEndsWithProcess,
        };
        IngressServer ingress = await IngressServer.StartAsync(address, options, doors, time, log, stop);
        options.IngressListens(ingress.AddressFor(options.IngressUrl, options.IngressCertFile.Length > 0), ingress.EndPoint);
        return ingress;
    }

    // Nobody has asked for this address, so it keeps nothing from starting: one that another process serves, such as a predecessor that is
    // just dying, is asked for until it is free.
    private async Task<AdminServer?> OpenImpliedAdminAsync(
        EndPointName address, ICoordinatorStatus status, MetricsCollector? collector, string? folder, ServingNote note,
        CancellationToken ending)
    {
        bool told = false;
        while (!ending.IsCancellationRequested)
        {
            try
            {
                AdminServer admin = await AdminServer.StartAsync(
                    address, AdminToken.Of(options, environment.Entropy), status, collector, PageLogs.Of(OpenLogAsync, folder), time, log,
                        ending);
                note.Write(admin.EndPoint);
                CoordinatorLog.AdminOpen(_logger, options.InstanceName, admin.EndPoint.ToString());
                return admin;
            }
            catch (CoordinatorException error)
            {
                if (!told && error.Error != ProcessErrors.SocketInUse)
                {
                    CoordinatorLog.AdminClosed(_logger, options.InstanceName, error.Message);
                }

                told = true;
                await Task.Delay(s_adminLook, time, ending).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
            catch (OperationCanceledException)
            {
                // The coordinator ends.
            }
        }

        return null;
    }

    // A view of its own, as anybody else has: the page never touches what the core works with. Small slices and a bounded index, because
    // it is a guest in this process.
    private async ValueTask<PageLog> OpenLogAsync() => new(
        await LogView.OpenAsync(options.Store, options.InstanceName, LogSizes.Of(options), environment),
        new PageLogOptions { Limit = ReadLimit.Durable, MaxMessages = 2_000_000, Budget = TimeSpan.FromMilliseconds(25),
            KeptFor = TimeSpan.FromMinutes(1), Time = time });

    private async Task ServeAsync(IServedCore core, StopRequest stop)
    {
        Task serving = environment.Loops.Start("core", () => core.RunAsync(stop.Token));
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using (stop.Token.Register(() => asked.TrySetResult()))
        {
            await Task.WhenAny(serving, asked.Task);
        }

        if (asked.Task.IsCompleted)
        {
            await DrainAsync(serving, stop);
        }
        else
        {
            await serving;
        }
    }

    private async Task DrainAsync(Task serving, StopRequest stop)
    {
        CoordinatorLog.Draining(_logger, options.InstanceName, stop.Reason);
        TimeSpan most = options.DrainTimeout + options.CheckpointOnStop;
        TimeSpan limit = stop.Limit < most ? stop.Limit : most;
        try
        {
            await serving.WaitAsync(limit, time);
        }
        catch (TimeoutException)
        {
            // Ending now is what a crash would do, and a crash is what everything here is made for.
            CoordinatorLog.DrainTimedOut(_logger, options.InstanceName, limit.TotalSeconds);
        }
    }
}
