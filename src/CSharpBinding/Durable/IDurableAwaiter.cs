using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>An awaiter whose suspension can be saved: it takes a saved object instead of a delegate.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IDurableAwaiter
{
    /// <summary>Resumes <paramref name="waiter"/> in the immortal's turn once what is awaited is complete.</summary>
    void AddWaiter(DurableWaiter waiter);
}
