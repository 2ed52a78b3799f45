using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Protocol;

namespace Ambrosia.CoordinatorHost;

/// <summary>The real core for <see cref="HostedCoordinator"/>. Before it runs there is nothing to see, and nothing to ask of it.</summary>
public sealed class ServedCore(CoordinatorOptions options, CoreEnvironment environment) : IServedCore, ICoordinatorStatus
{
    private readonly ImmortalCore _core = new(options, environment with
    {
        AdminAddress = () => options.Admin, AwakeableAddress = options.AddressOfAwakeables, IngressAddress = options.AddressOfIngress,
    });

    /// <inheritdoc/>
    public ICoordinatorStatus Status => this;

    /// <inheritdoc/>
    public IOutsideEntrance Outside => _core.Outside;

    /// <inheritdoc/>
    public IAwakeableEntrance Awakeables => _core.Awakeables;

    /// <inheritdoc/>
    public AppShapes Shapes => _core.Shapes;

    /// <summary>Completes once the app can attach.</summary>
    public Task Listening => _core.Listening;

    /// <inheritdoc/>
    public Task RunAsync(CancellationToken stop) => _core.RunAsync(stop);

    /// <inheritdoc/>
    public CoordinatorStatus Snapshot() => _core.Status?.Snapshot()
        ?? new CoordinatorStatus
            { Instance = options.InstanceName, Cluster = options.Cluster, Role = "starting", NotReadyReason = "starting" };

    /// <inheritdoc/>
    public Task<ulong> CheckpointAsync(CancellationToken cancellationToken) => _core.Status?.CheckpointAsync(cancellationToken)
        ?? Task.FromException<ulong>(NotYet());

    /// <inheritdoc/>
    public Task<DeadLettersStatus> DeadLettersAsync(MessagePosition? only, CancellationToken cancellationToken) =>
        _core.Status?.DeadLettersAsync(only, cancellationToken)
        ?? Task.FromException<DeadLettersStatus>(NotYet());

    /// <inheritdoc/>
    public Task<string> ChangeDeadLetterAsync(DeadLetterVerb verb, MessagePosition position, CancellationToken cancellationToken) =>
        _core.Status?.ChangeDeadLetterAsync(verb, position, cancellationToken) ?? Task.FromException<string>(NotYet());

    /// <inheritdoc/>
    public Task<AppState> StateAsync(bool hashOnly, CancellationToken cancellationToken) =>
        _core.Status?.StateAsync(hashOnly, cancellationToken)
        ?? Task.FromException<AppState>(NotYet());

    /// <inheritdoc/>
    public Task<AppAnswer> QueryAsync(AppQuery query, CancellationToken cancellationToken) =>
        _core.Status?.QueryAsync(query, cancellationToken)
        ?? Task.FromException<AppAnswer>(NotYet());

    /// <inheritdoc/>
    public void RequestDrain(string reason)
    {
        if (_core.Status is { } status)
        {
            status.RequestDrain(reason);
        }
        else
        {
            throw NotYet();
        }
    }

    private NotServingException NotYet() => new($"{options.InstanceName}: starting");
}
