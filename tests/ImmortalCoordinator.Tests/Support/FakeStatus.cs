using Ambrosia.ImmortalCoordinator.Admin;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A status that the test writes.</summary>
public sealed class FakeStatus : ICoordinatorStatus
{
    public CoordinatorStatus Current { get; set; } = new() { Instance = "bank", Role = "primary", Ready = true };

    public Func<Task<ulong>> Checkpoint { get; set; } = () => Task.FromResult(42UL);

    public List<string> DrainReasons { get; } = [];

    public CoordinatorStatus Snapshot() => Current;

    public Task<ulong> CheckpointAsync(CancellationToken cancellationToken) => Checkpoint();

    public void RequestDrain(string reason) => DrainReasons.Add(reason);
}
