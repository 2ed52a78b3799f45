using System.ComponentModel;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>Owes the outcome of a suspended handler with a result to the caller. Saved with the handler.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class HandlerDone<T, TFormatter> : ReplyContinuation
    where TFormatter : struct, IFormatter<T>
{
    private readonly SavedOrigin _origin;

    internal HandlerDone(in CallOrigin origin) => _origin = SavedOrigin.From(origin);

    /// <inheritdoc/>
    public override void Invoke(DurableCell completed)
    {
        ArgumentNullException.ThrowIfNull(completed);
        ImmortalRuntime runtime = SavedOrigin.RuntimeOfTurn();
        runtime.Telemetry.Resume(this);
        if (completed.Error is { } error)
        {
            runtime.Answers.Failed(_origin.Restore(runtime), error);
        }
        else
        {
            runtime.Answers.Done<T, TFormatter>(_origin.Restore(runtime), ((DurableCell<T>)completed).GetResult());
        }
    }
}
