namespace Ambrosia.ImmortalCoordinator.Admin;

/// <summary>What the core lets people and orchestrators see and ask. Every member may be called from any thread.</summary>
public interface ICoordinatorStatus
{
    /// <summary>A picture of now, or of a moment ago; never waits for disk, app or peers.</summary>
    CoordinatorStatus Snapshot();

    /// <summary>Asks for a checkpoint; ends when one that was begun afterwards is durable, with its LSN.</summary>
    /// <exception cref="InvalidOperationException">None can be taken now; the message says why.</exception>
    Task<ulong> CheckpointAsync(CancellationToken cancellationToken);

    /// <summary>Asks the instance to finish what it is doing and to stop. Returns at once.</summary>
    void RequestDrain(string reason);
}
