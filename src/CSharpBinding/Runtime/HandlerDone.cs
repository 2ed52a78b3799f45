using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>Owes the outcome of a suspended handler without a result to the caller. Saved with the handler.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class HandlerDone : ReplyContinuation
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
            runtime.Answers.Done(_origin.Restore(runtime));
        }
    }
}
