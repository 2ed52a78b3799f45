using Ambrosia.Coordinator.Sessions;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Operations;

/// <summary>
/// What the core lets people and orchestrators see and ask. Every member may be called from any thread, in every phase: where there is
/// nobody to ask the answer is a <see cref="NotServingException"/>. Nothing that a question makes go wrong ends the instance.
/// </summary>
public interface ICoordinatorStatus
{
    /// <summary>A picture of now, or of a moment ago; never waits for disk, app or peers.</summary>
    CoordinatorStatus Snapshot();

    /// <summary>Asks for a checkpoint; ends when one that was begun afterwards is durable, with its LSN.</summary>
    /// <exception cref="InvalidOperationException">None can be taken now; the message says why.</exception>
    Task<ulong> CheckpointAsync(CancellationToken cancellationToken);

    /// <summary>What killed or blocked the app, and the dead letters: all of them, or one with its bytes.</summary>
    /// <exception cref="NotServingException">The instance does not act.</exception>
    Task<DeadLettersStatus> DeadLettersAsync(MessagePosition? only, CancellationToken cancellationToken);

    /// <summary>Carries out a person's decision; ends when it is durable, with a sentence about what was done.</summary>
    /// <exception cref="InvalidOperationException">It cannot be done; the message says why.</exception>
    Task<string> ChangeDeadLetterAsync(DeadLetterVerb verb, MessagePosition position, CancellationToken cancellationToken);

    /// <summary>Asks the app for its state, between two records.</summary>
    /// <param name="hashOnly">Only its hash, by which states are compared.</param>
    /// <param name="cancellationToken">Gives up waiting.</param>
    /// <exception cref="InvalidOperationException">No app is attached that can tell it; the message says why.</exception>
    Task<AppState> StateAsync(bool hashOnly, CancellationToken cancellationToken);

    /// <summary>Asks the app a query, between two records.</summary>
    /// <exception cref="InvalidOperationException">No app is attached that can be asked; the message says why.</exception>
    Task<AppAnswer> QueryAsync(AppQuery query, CancellationToken cancellationToken);

    /// <summary>Asks the instance to finish what it is doing and to stop. Returns at once.</summary>
    /// <exception cref="NotServingException">It does not run yet.</exception>
    void RequestDrain(string reason);
}
