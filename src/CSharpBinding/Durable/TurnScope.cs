using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>Ends a thread's turn when disposed; see <see cref="Turn.Enter"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct TurnScope
{
    private readonly Turn? _previous;

    internal TurnScope(Turn? previous) => _previous = previous;

    /// <summary>Restores the turn that the thread was in before.</summary>
    public void Dispose() => Turn.Restore(_previous);
}
