namespace Ambrosia.Testing;

/// <summary>Something the test asks of an immortal of its world.</summary>
internal abstract class WorldCall
{
    /// <summary>Does it, if it is done outside of turns.</summary>
    /// <returns>False if it has to be done in a turn.</returns>
    public virtual bool OutsideTurn(Caller caller) => false;

    /// <summary>Does it in a turn of the caller; ends with the answer. Never fails itself.</summary>
    public virtual DurableTask InTurnAsync(Caller caller) => default;
}
