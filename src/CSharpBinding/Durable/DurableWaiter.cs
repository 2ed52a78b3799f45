using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>
/// Something that a <see cref="DurableCell"/> resumes once it is complete. A saved object, never a delegate, so that it survives in a
/// checkpoint.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class DurableWaiter
{
    /// <summary>
    /// Called by <see cref="Turn.Drain"/>, never from inside the completion itself: no stack growth, one order on every replica.
    /// </summary>
    /// <param name="completed">The cell that this waiter had been added to.</param>
    protected internal abstract void Resume(DurableCell completed);

    /// <summary>The generated class of the suspended method that this is; null if it is none.</summary>
    internal virtual Type? Code => null;
}
