namespace Ambrosia.SystemFaults.Tests.Shim;

/// <summary>One fault: the nth call of a kind fails.</summary>
/// <param name="Call">Function of the C library.</param>
/// <param name="Kind">What the file is, or <c>socket</c>.</param>
/// <param name="Nth">First passing that suffers it.</param>
/// <param name="Error">Error number; -1 for half of the bytes, -2 for none, 0 for delay only.</param>
/// <param name="Times">How many calls suffer it; 0 for all from then on.</param>
/// <param name="DelayMs">Milliseconds that the call takes longer.</param>
internal sealed record Fault(string Call, string Kind, int Nth, int Error, int Times, int DelayMs = 0)
{
    /// <summary>Name in reports.</summary>
    public string ErrorName => (DelayMs > 0 ? "slow" : FaultErrors.NameOf(Error)) + (Times == 0 ? " for ever" : "");

    public override string ToString() => $"{Call} of {Kind}, passing {Nth}: {ErrorName}";
}
