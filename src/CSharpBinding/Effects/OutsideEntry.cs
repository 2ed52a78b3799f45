using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>Awaited, it goes on outside of turns. No task stands between: its end would be told by another thread of the pool.</summary>
internal readonly struct OutsideEntry(OutsideTurns outside) : INotifyCompletion
{
    public bool IsCompleted => false;

    public OutsideEntry GetAwaiter() => this;

    public void OnCompleted(Action continuation) => outside.Post(continuation);

    public void GetResult()
    {
    }
}
