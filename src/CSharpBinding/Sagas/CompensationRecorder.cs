namespace Ambrosia.Runtime;

/// <summary>Takes the call or effect that compensates.</summary>
internal sealed class CompensationRecorder(DurableSaga saga, string label, string destination, ImmortalEffects? effects) : CallRecorder
{
    /// <inheritdoc/>
    public override string Advice =>
        $"Saga '{saga.Name}' takes down one call to run later: write Undo(...).NameFork(...) in one expression.";

    /// <inheritdoc/>
    protected override void Take(int methodId, byte[] arguments) =>
        saga.Add(new Compensation(label, destination, effects, methodId, arguments));
}
