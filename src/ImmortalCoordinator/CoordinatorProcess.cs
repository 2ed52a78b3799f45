using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.CoordinatorHost;
using Ambrosia.CoordinatorHost.Logging;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.CoordinatorHost.Places;
using Ambrosia.ImmortalCoordinator.Failpoints;
using Ambrosia.ImmortalCoordinator.Fate;
using Ambrosia.ImmortalCoordinator.Telemetry;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator;

/// <summary>
/// Puts a coordinator together from the operating system's parts: the one place that knows which seam has which implementation.
/// </summary>
public static class CoordinatorProcess
{
    /// <summary>Serves until the process is to end. Every failure has been reported when it returns.</summary>
    public static async Task<ExitCode> RunAsync(CoordinatorOptions options)
    {
        using OtlpExport? export = OtlpExport.Start(options, Environment.GetEnvironmentVariable);
        ILineFormat format = options.LogFormat == LogFormat.Json ? new JsonLineFormat() : new TextLineFormat();
        using var provider = new LineLoggerProvider(Console.OpenStandardError(), format, options.LogLevel, TimeProvider.System);
        using var coordinator = new OutageLogger(provider.CreateLogger("coordinator"), TimeProvider.System);
        using var logger = new RefusalLogger(coordinator, options.InstanceName, TimeProvider.System);
        using ExportWatch? exportWatch = export is null ? null : new ExportWatch(logger, TimeProvider.System);
        using var outages = new OutageLogger(provider.CreateLogger("log"), TimeProvider.System);
        using var stop = new StopRequest();
        using var signals = new ProcessSignals(stop, TimeProvider.System, leavesInterruptsToOwner: options.OwnerPipe
            && !Platform.UsesLinuxCalls);
        ReportStrayFailures(logger);
        if (!Platform.UsesLinuxCalls)
        {
            CoordinatorLog.ManagedFallbacks(logger, options.InstanceName, Platform.Reason, Platform.Limits);
        }

        try
        {
            IFileSystem files = Failpoint.Armed ? new FailpointFiles(SystemFiles.Create()) : SystemFiles.Create();
            var log = new LogStoreEnvironment
            {
                Files = files,
                Stores = KnownStores.All(Environment.GetEnvironmentVariable),
                Logger = outages,
                Fatal = new ProcessFatal { Format = line => format.Format(Failure.LineOf(line, TimeProvider.System)) },
            };
            if (options.OwnerPipe)
            {
                ProcessGroup.Leave();
                // Nobody awaits it: it ends when the owner does, and this process with it.
                _ = log.Loops.Start("owner pipe", () => OwnerPipe.WatchAsync(Console.OpenStandardInput(), stop));
            }

            await using ICatalog catalog = Catalogs.Open(options.Catalog, log);
            ITransport pipes = new MemoryNetwork(new MemoryNetworkOptions()).Node(options.InstanceName);
            var core = new ServedCore(options, new CoreEnvironment
            {
                Log = log,
                Token = options.BindingTokenFile.Length == 0 ? "" : TokenFile.LoadOrMake(
                    options.BindingTokenFile, "--binding-token-file", groupMayRead: options.BindingGroup is not null, log.Entropy),
                Transport = new RoutingTransport(pipes,
                    new SocketTransport(new SocketTransportOptions { Group = options.BindingGroup }, TimeProvider.System, logger)),
                PeerTransport = await PeerTransport.MakeAsync(options, pipes, TimeProvider.System, logger),
                Catalog = catalog,
                EndProcess = NamedProcess.Kill,
                DescribeProcess = NamedProcess.Describe,
                Random = Random.Shared.NextDouble,
                Tracer = export?.Tracer,
                Logger = logger,
            });
            return await new HostedCoordinator(options, log, TimeProvider.System, provider).RunAsync(core, stop);
        }
        catch (Exception error) when (error is CoordinatorException or LogStoreException)
        {
            return Failure.Report(logger, error);
        }
    }

    // What nobody caught is our own mistake. The runtime would print a stack trace and abort; this says what it means, with an exit code.
    private static void ReportStrayFailures(ILogger logger) => AppDomain.CurrentDomain.UnhandledException += (_, stray) =>
        ProcessCalls.End((int)Failure.Report(logger, stray.ExceptionObject as Exception ?? new InvalidOperationException("unknown")));
}
