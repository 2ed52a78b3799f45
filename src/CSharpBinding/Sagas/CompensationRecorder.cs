namespace Ambrosia.Runtime;

/// <summary>Takes the call or effect that compensates.</summary>
internal sealed class CompensationRecorder(DurableSaga saga, string label, string destination, ImmortalEffects? effects) : ICallRecorder
{
    private bool _isDone;

    /// <inheritdoc/>
    public string Advice => $"Saga '{saga.Name}' takes down one call to run later: write Undo(...).NameFork(...) in one expression.";

    /// <inheritdoc/>
    public void Record(int methodId, byte[] arguments)
    {
        if (_isDone)
        {
            throw new InvalidOperationException(Advice);
        }

        _isDone = true;
        saga.Add(new Compensation(label, destination, effects, methodId, arguments));
    }
}
