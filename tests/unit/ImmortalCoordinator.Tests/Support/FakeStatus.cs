using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A status that the test writes.</summary>
public sealed class FakeStatus : ICoordinatorStatus
{
    public CoordinatorStatus Current { get; set; } = new() { Instance = "bank", Role = "primary", Ready = true };

    public Func<Task<ulong>> Checkpoint { get; set; } = () => Task.FromResult(42UL);

    public List<string> DrainReasons { get; } = [];

    public CoordinatorStatus Snapshot() => Current;

    public Task<ulong> CheckpointAsync(CancellationToken cancellationToken) => Checkpoint();

    public DeadLettersStatus Letters { get; set; } = new();

    public Func<DeadLetterVerb, MessagePosition, string> Change { get; set; } = static (verb, position) => $"{verb} {position}";

    public Task<DeadLettersStatus> DeadLettersAsync(MessagePosition? only, CancellationToken cancellationToken) =>
        Task.FromResult(Letters with { Letters = [.. Letters.Letters.Where(l => only is null || l.Position == only.ToString())] });

    public Task<string> ChangeDeadLetterAsync(DeadLetterVerb verb, MessagePosition position, CancellationToken cancellationToken)
    {
        try
        {
            return Task.FromResult(Change(verb, position));
        }
        catch (InvalidOperationException refused)
        {
            return Task.FromException<string>(refused);
        }
    }
    public Task<AppState> StateAsync(bool hashOnly, CancellationToken cancellationToken) =>
        Task.FromResult(new AppState(17, hashOnly ? "{\"stateHash\":\"00\"}" : "{\"stateHash\":\"00\",\"state\":{}}"));

    public Func<AppQuery, CancellationToken, Task<AppAnswer>> Query { get; set; } =
        static (_, _) => Task.FromException<AppAnswer>(new InvalidOperationException("No app is attached; only it can answer."));

    public Task<AppAnswer> QueryAsync(AppQuery query, CancellationToken cancellationToken) => Query(query, cancellationToken);

    public void RequestDrain(string reason) => DrainReasons.Add(reason);
}
