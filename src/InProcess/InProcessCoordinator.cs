using System.IO.Pipelines;
using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.CoordinatorHost;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Hosting;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Microsoft.Extensions.Logging;

namespace Ambrosia.InProcess;

/// <summary>
/// Runs the coordinators of any number of immortals inside this process, each on threads of its own. App and coordinator meet on a pipe in
/// memory and speak the same protocol on it as on a socket; to others, these coordinators are like any.
/// </summary>
public sealed class InProcessCoordinator : ICoordinatorLauncher
{
    private readonly MemoryNetwork _network = new(new MemoryNetworkOptions());
    private readonly InProcessOptions _options;
    private readonly ILoggerFactory _loggers;
    private readonly LogStoreEnvironment _log;
    private readonly TimeProvider _time;
    private readonly Func<string, string?> _environment;

    /// <summary>Coordinators for this process. Nothing runs yet.</summary>
    /// <param name="options">How they are set up.</param>
    /// <param name="loggers">The app's log.</param>
    /// <param name="time">Clock; null for the system's.</param>
    /// <param name="environment">Value of an environment variable; null for the process's own.</param>
    public InProcessCoordinator(InProcessOptions options, ILoggerFactory loggers, TimeProvider? time = null,
        Func<string, string?>? environment = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        _options = options;
        _loggers = loggers;
        _time = time ?? TimeProvider.System;
        _environment = environment ?? Environment.GetEnvironmentVariable;
        _log = new LogStoreEnvironment
            { Time = _time, Stores = KnownStores.All(_environment), Logger = loggers.CreateLogger("Ambrosia.log") };
    }

    /// <inheritdoc/>
    public async Task RunAsync(ImmortalOptions options, Func<IDuplexPipe, CancellationToken, Task> serve, CancellationToken stop)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(serve);
        CoordinatorOptions coordinator = Configure(options);
        string name = coordinator.InstanceName;
        using var provider = new FactoryLoggerProvider(_loggers, name);
        ILogger logger = provider.CreateLogger("coordinator");
        await using ICatalog catalog = Catalogs.Open(coordinator.Catalog, _log);
        ITransport transport = new RoutingTransport(_network.Node(name), new SocketTransport(new SocketTransportOptions(), _time, logger));
        var core = new ServedCore(coordinator, new CoreEnvironment
        {
            Log = _log, Transport = transport, PeerTransport = await PeerTransport.MakeAsync(coordinator, _network.Node(name), _time,
                logger), Catalog = catalog, Time = _time, Random = Jitter, Logger = logger,
        });
        using var request = new StopRequest();
        Task<ExitCode> running = new HostedCoordinator(coordinator, _log, _time, provider).RunAsync(core, request);
        try
        {
            if (await Task.WhenAny(core.Listening.WaitAsync(stop), running) == running)
            {
                throw new CoordinatorUnavailableException(
                    $"The coordinator of {name} could not be started ({await running}); its log says why (category "
                    + $"Ambrosia.{name}.coordinator).");
            }

            await ServeAsync(coordinator, transport, serve, stop);
        }
        finally
        {
            request.Ask("its app has ended");
            await running;
        }
    }

    // Jitter of back-off needs no quality and, beside real threads, no repeatability: the clock's last digits do.
    private double Jitter() => _time.GetTimestamp() % 1000 / 1000.0;

    private static async Task ServeAsync(CoordinatorOptions coordinator, ITransport transport,
        Func<IDuplexPipe, CancellationToken, Task> serve, CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        await using IConnection link = await transport.ConnectAsync(coordinator.BindingSocket!, CancellationToken.None);
        await serve(link, stop);
    }

    /// <summary>What a coordinator process would have been told, except where it listens for its app.</summary>
    private CoordinatorOptions Configure(ImmortalOptions options)
    {
        List<string> arguments = ["--instance-name", options.InstanceName];
        Add("--store", options.Store.Length > 0 ? options.Store : _options.Store);
        Add("--catalog", options.Catalog.Length > 0 ? options.Catalog : _options.Catalog);
        Add("--ingress", options.Ingress);
        arguments.AddRange(options.CoordinatorArguments.Split(' ', StringSplitOptions.RemoveEmptyEntries));
        CoordinatorOptions coordinator;
        try
        {
            coordinator = Configuration.Read(arguments, _environment).Options;
        }
        catch (OptionsException wrong)
        {
            throw new CoordinatorUnavailableException(wrong.Message);
        }

        coordinator.BindingSocket = EndPointName.Pipe($"app-{coordinator.InstanceName}");
        coordinator.BindingAddress = null;
        coordinator.OnAppExit = AppExitPolicy.Wait; // Which one ends first is seen here.
        coordinator.OwnerPipe = false;
        coordinator.PeerAddress = _options.Peers == PeerLinks.Memory ? EndPointName.Pipe($"peer-{coordinator.InstanceName}")
            : coordinator.PeerAddress;
        _options.Configure?.Invoke(coordinator);
        var places = new DefaultPlaces(_environment);
        if (LogStores.IsLocal(coordinator.Store))
        {
            // A log that others can look into has a coordinator that they can ask. One in memory is this process's own affair.
            places.ImplyAdmin(coordinator);
        }

        places.CompleteAdmin(coordinator); // Configure may have opened the admin address.
        return coordinator;

        void Add(string name, string value)
        {
            if (value.Length > 0)
            {
                arguments.AddRange([name, value]);
            }
        }
    }
}
