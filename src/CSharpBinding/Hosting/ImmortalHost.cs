using System.ComponentModel;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Net.Sockets;
using System.Reflection;
using Ambrosia.Hosting;
using Ambrosia.Link;
using Ambrosia.Primitives.Loops;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Serialization;
using Ambrosia.Sessions;
using Ambrosia.Telemetry;
using Ambrosia.Upgrading;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia;

/// <summary>
/// Runs one immortal until it is stopped: finds or starts its coordinator, attaches, rebuilds the state from checkpoint and log, and
/// handles messages. <see cref="Immortal.RunAsync{T}"/> and <c>AddImmortal</c> are built on it.
/// </summary>
public sealed class ImmortalHost
{
    private static readonly TimeSpan s_debuggerLook = TimeSpan.FromMilliseconds(100);
    private readonly Func<Immortal> _create;
    private readonly ImmortalOptions _options;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly IServiceProvider? _services;
    private readonly EffectPerformers _performers;
    private readonly MessagePackLibrary _library;
    private bool _tookOver;
    private bool _attached;
    private bool _requiresPerformers;
    private ulong _life;

    /// <summary>A host for one immortal.</summary>
    /// <param name="create">Makes a fresh object of the immortal; called once for each connection.</param>
    /// <param name="options">Which instance, and where its coordinator is.</param>
    /// <param name="logger">The app's log; null for none.</param>
    /// <param name="time">Wall clock; null for the system's.</param>
    /// <param name="services">What <see cref="ImmortalContext.Services"/> will be.</param>
    /// <exception cref="PlatformNotSupportedException">This app cannot save suspended calls: it was published with Native AOT or
    /// trimmed.</exception>
    public ImmortalHost(Func<Immortal> create, ImmortalOptions options, ILogger? logger = null, TimeProvider? time = null,
        IServiceProvider? services = null)
    {
        StateSelfCheck.Run(); // An app that cannot save suspended calls must not start, rather than lose them at its first recovery.
        _create = create;
        _options = options;
        _logger = logger ?? NullLogger.Instance;
        _time = time ?? TimeProvider.System;
        _services = services;
        _library = options.Resolver is { } resolver ? new MessagePackLibrary(resolver) : MessagePackLibrary.Default;
        _performers = new EffectPerformers(options.Performers, services, _time, _logger);
    }

    /// <summary>True once another app has taken this one's place (docs/guide/upgrade.md): it must not be started again.</summary>
    public bool WasReplaced { get; private set; }

    /// <summary>Takes what the immortal does, for health checks.</summary>
    internal ServingMonitor Monitor { get; init; } = new();

    /// <summary>
    /// Stands around each attempt of an effect and performs it, or does not: faults that a world of tests plants. Null, the default,
    /// performs each.
    /// </summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Func<EffectContext, Func<Task>, Task>? AroundEffects { get; init; }

    /// <summary>Runs the immortal over sockets.</summary>
    /// <exception cref="OptionException">An option is wrong, or nothing performs the effects that the immortal asks for.</exception>
    /// <exception cref="CoordinatorUnavailableException">No coordinator could be started or reached.</exception>
    /// <exception cref="BindingRefusedException">The coordinator does not serve this app.</exception>
    /// <exception cref="UpgradeFailedException">The app was to take another's place and did not.</exception>
    /// <exception cref="LinkClosedException">The coordinator is gone.</exception>
    /// <exception cref="CheckpointException">The checkpoint cannot be read by this app.</exception>
    /// <exception cref="HandlerFaultException">A handler failed and the policy is to stop.</exception>
    /// <exception cref="StateChangedByQueryException">A query was none.</exception>
    public async Task RunAsync(CancellationToken stop)
    {
        CheckEffects();
        await WaitForDebuggerAsync(stop);
        try
        {
            await (_options.BindingSocket.Length > 0 ? ServeAtSocketAsync(stop) : ServeWithOwnCoordinatorAsync(stop));
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            BindingLog.Leaving(_logger, _options.InstanceName, "it was stopped before its coordinator was ready");
        }
        finally
        {
            await EndAsync();
        }
    }

    /// <summary>
    /// From here on the app refuses to start if the options for its effects are wrong, or nothing performs what its code asks for.
    /// </summary>
    /// <exception cref="OptionException">An option is wrong.</exception>
    internal void CheckEffects()
    {
        if (_options.EffectsDrain < TimeSpan.Zero || _options.EffectsDrain > Farewell.Longest)
        {
            throw new OptionException($"--effects-drain {_options.EffectsDrain.TotalSeconds:0.###} is too long: a clean stop waits for "
                + $"effects {Farewell.Longest.TotalSeconds:0} s at most. What is not done by then is performed by the next process.");
        }

        if (_options.EffectsAtOnce < 1)
        {
            throw new OptionException($"--effects-at-once {_options.EffectsAtOnce} is too few: at least one effect is performed at once.");
        }

        _requiresPerformers = true;
    }

    /// <summary>The app ends: code that runs it over connections of its own calls this when the last one has ended.</summary>
    internal ValueTask EndAsync() => _performers.EndAsync();

    /// <summary>Runs the immortal over one connection that is there already: in-process coordinators and tests.</summary>
    /// <param name="link">The connection; completed at the end.</param>
    /// <param name="stop">Ends it after the turn that is running.</param>
    /// <param name="incarnation">Id of this connection, random unless a test must be repeatable to the byte. Never the same twice for one
    /// instance.</param>
    /// <returns>Why it ended: one phrase.</returns>
    public Task<string> RunAsync(IDuplexPipe link, CancellationToken stop, Guid? incarnation = null)
    {
        ArgumentNullException.ThrowIfNull(link);
        return CreateAndServeAsync(link, incarnation, stop);
    }

    // Asynchronous from the first line: the caller's culture is its own again when this returns.
    private async Task<string> CreateAndServeAsync(IDuplexPipe link, Guid? incarnation, CancellationToken stop)
    {
        Guid connection = incarnation ?? Incarnation.Next();
        _life = _life == 0 ? BitConverter.ToUInt64(connection.ToByteArray()) | 1 : _life;
        var settings = new SessionSettings
        {
            Logger = _logger, Time = _time, OnFault = _options.OnFault, Services = _services, Library = _library, Upgrades = Upgrades(),
                CheckQueries = _options.CheckQueries,
            Accept = _options.Accept, AcceptsOtherCode = Environment.GetEnvironmentVariable("DOTNET_WATCH") == "1",
            Effects = Effects(), Monitor = Monitor,
            TraceRatio = _options.TraceRatio,
            TimeZones = _options.TimeZones,
        };
        TurnCulture.Pin();
        Immortal immortal = _create();
        if (_requiresPerformers)
        {
            EffectUses.Require(immortal.GetType(), _performers);
            _options.Retries.Require(EffectUses.Of(immortal.GetType()));
        }

        // The incarnation only tells connections apart; nothing that is replayed depends on it.
        var identity = new SessionIdentity(
            _options.InstanceName, VersionOf(immortal), CheckpointCodec.BuildOf(immortal.GetType()), LinkToken.Of(_options), connection);
        return await ServeAsync(new ImmortalSession(immortal, identity, settings), link, stop);
    }

    private async Task WaitForDebuggerAsync(CancellationToken stop)
    {
        while (_options.WaitForDebugger && !Debugger.IsAttached && !stop.IsCancellationRequested)
        {
            await Task.Delay(s_debuggerLook, _time, stop);
        }
    }

    private EffectSettings Effects() => new()
    {
        Performers = _performers, AtOnce = _options.EffectsAtOnce, Drain = _options.EffectsDrain, Around = AroundEffects,
        Life = _life, Retry = _options.Retries,
    };

    private UpgradeSettings? Upgrades() =>
        _options.Upgrade || _options.Conversions.Count > 0 ? new UpgradeSettings(
            _options.Conversions, _create, _options.Upgrade && !_tookOver, _services ?? NoServices.Instance) : null;

    private async Task<string> ServeAsync(ImmortalSession session, IDuplexPipe link, CancellationToken stop)
    {
        using (session)
        {
            try
            {
                return await session.RunAsync(link, stop);
            }
            finally
            {
                WasReplaced = session.WasReplaced;
                _tookOver |= session.WasPrimary; // It has its place: should the connection break, it comes back as itself.
            }
        }
    }

    private async Task ServeAtSocketAsync(CancellationToken stop)
    {
        bool again;
        do
        {
            again = await AttachAsync(_options.BindingSocket, stop);
        }
        while (again && !stop.IsCancellationRequested);
    }

    // True to attach again.
    private async Task<bool> AttachAsync(string address, CancellationToken stop)
    {
        try
        {
            await AttachOnceAsync(address, coordinator: null, stop);
            return false;
        }
        catch (LinkClosedException lost) when (_options.OnCoordinatorExit == CoordinatorExitPolicy.Wait && !stop.IsCancellationRequested)
        {
            BindingLog.WaitsForNext(_logger, _options.InstanceName, lost.Message);
            Monitor.Lost(lost.Message);
            return true;
        }
    }

    private async Task AttachOnceAsync(string address, EmbeddedCoordinator? coordinator, CancellationToken stop)
    {
        Socket socket = await new Connector(_time, _logger, Monitor).ConnectAsync(_options, address, coordinator, stop);
        using (socket)
        using (var watch = new WelcomeWatch(_options, address, socket, coordinator is not null, _time, _logger, Monitor))
        {
            _attached = true;
            string reason = "";
            try
            {
                await LoopThread.Start(_options.InstanceName, async () => reason = await ServeAsync(socket, stop));
            }
            catch (LinkClosedException) when (watch.Failure is { } failure)
            {
                throw failure;
            }

            BindingLog.Leaving(_logger, _options.InstanceName, reason);
        }
    }

    /// <summary>
    /// The coordinator that dies is started again, after a pause that grows: the immortal recovers in this process as it would in another.
    /// </summary>
    private async Task ServeWithOwnCoordinatorAsync(CancellationToken stop)
    {
        var backOff = new BackOff(_time);
        EmbeddedCoordinator? coordinator = null;
        try
        {
            while (true)
            {
                long started = _time.GetTimestamp();
                string lost;
                try
                {
                    coordinator ??= EmbeddedCoordinator.Start(_options, _time, _logger);
                    await AttachOnceAsync(coordinator.Socket, coordinator, stop);
                    if (WasReplaced)
                    {
                        BindingLog.KeepsCoordinator(_logger, _options.InstanceName);
                        await coordinator.EndedAsync(stop);
                    }

                    return;
                }
                catch (LinkClosedException closed) when (!stop.IsCancellationRequested)
                {
                    lost = await WhyLostAsync(coordinator!, closed);
                }
                catch (CoordinatorUnavailableException ended) when (MayStartAgain(ended))
                {
                    lost = ended.Message;
                }

                if (coordinator is { HasEnded: true })
                {
                    await coordinator.DisposeAsync();
                    coordinator = null;
                }

                Monitor.Lost(lost);
                TimeSpan pause = backOff.After(started);
                BindingLog.CoordinatorRestarts(_logger, _options.InstanceName, pause.TotalSeconds, lost);
                await Task.Delay(pause, _time, stop);
            }
        }
        finally
        {
            if (coordinator is not null)
            {
                await coordinator.DisposeAsync();
            }
        }
    }

    // One that was never ready is started again only if somebody killed it: what keeps it from starting is the same at the next attempt,
    // and nobody depends on it yet.
    private bool MayStartAgain(CoordinatorUnavailableException ended) =>
        ended.CoordinatorCode is { } code && (_attached ? !CoordinatorExit.IsFinal(code) : CoordinatorExit.IsKill(code));

    private static async Task<string> WhyLostAsync(EmbeddedCoordinator coordinator, LinkClosedException closed)
    {
        if (await coordinator.EndAsync() is not { } end)
        {
            return closed.Message; // It lives, and has ended this connection alone: the app begins again with it.
        }

        if (CoordinatorExit.IsRefusal(end.Code))
        {
            throw new CoordinatorUnavailableException(end.Text) { CoordinatorCode = end.Code };
        }

        return CoordinatorExit.IsFinal(end.Code) ? throw new LinkClosedException(end.Text, closed) : end.Text;
    }

    // A thread of its own, which waits for the socket itself: a message changes threads nowhere in this process.
    private async Task<string> ServeAsync(Socket socket, CancellationToken stop)
    {
        using var link = new SocketLink(socket);
        return await RunAsync(link, stop);
    }

    private static string VersionOf(Immortal immortal)
    {
        Assembly assembly = immortal.GetType().Assembly;
        return assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion
            ?? assembly.GetName().Version?.ToString() ?? "";
    }
}
