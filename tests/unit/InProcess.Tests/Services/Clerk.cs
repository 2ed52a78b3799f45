namespace Ambrosia.InProcess.Tests.Services;

/// <summary>Counts, and shows itself to a service that its host gave it.</summary>
public sealed class Clerk(Ledger ledger) : ClerkBase
{
    [NotSaved]
    private readonly Ledger _ledger = ledger;

    public int Counted { get; private set; }

    public override DurableTask<int> Count(int by) => Counted += by;

    protected override void BecomingPrimary(ImmortalContext context) => _ledger.Open(this, This);
}
