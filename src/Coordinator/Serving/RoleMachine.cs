namespace Ambrosia.Coordinator.Serving;

/// <summary>
/// The role of a coordinator, and the only changes of it that there are (architecture.md#roles). A coordinator that stops stays so: what
/// was begun before may still end, and changes nothing.
/// </summary>
/// <param name="changed">Called after each change.</param>
internal sealed class RoleMachine(Action changed)
{
    /// <summary>The role now.</summary>
    public ReplicaRole Current { get; private set; }

    /// <summary>Whether one role may follow another.</summary>
    public static bool IsLegal(ReplicaRole from, ReplicaRole to) => from == to || to switch
    {
        ReplicaRole.Starting => false,
        ReplicaRole.FirstStart => from is ReplicaRole.Starting,
        ReplicaRole.Recovering => from is ReplicaRole.Starting or ReplicaRole.Secondary or ReplicaRole.Checkpointer,
        ReplicaRole.WaitingForApp or ReplicaRole.Primary =>
            from is ReplicaRole.FirstStart or ReplicaRole.Recovering or ReplicaRole.WaitingForApp or ReplicaRole.Primary,
        ReplicaRole.Secondary => from is ReplicaRole.Starting or ReplicaRole.Checkpointer,
        ReplicaRole.Checkpointer => from is ReplicaRole.Secondary,
        ReplicaRole.Draining => true,
        _ => throw new ArgumentOutOfRangeException(nameof(to), to, "no role"),
    };

    /// <summary>Changes the role. Nothing happens when the coordinator stops already.</summary>
    /// <exception cref="InvalidOperationException">This role cannot follow the present one: a mistake in the coordinator.</exception>
    public void Change(ReplicaRole to)
    {
        if (Current == ReplicaRole.Draining)
        {
            return;
        }

        if (!IsLegal(Current, to))
        {
            throw new InvalidOperationException($"A coordinator that is '{Current.Text()}' cannot become '{to.Text()}'.");
        }

        Current = to;
        changed();
    }
}
