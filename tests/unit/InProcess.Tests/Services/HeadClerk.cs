namespace Ambrosia.InProcess.Tests.Services;

/// <summary>The next version of <see cref="Clerk"/>: it counts in tens.</summary>
public sealed class HeadClerk : ClerkBase
{
    [NotSaved]
    private readonly Ledger _ledger;

    public HeadClerk(Ledger ledger) => _ledger = ledger;

    public HeadClerk(Clerk old, Ledger ledger)
        : this(ledger) => Counted = 10 * old.Counted;

    public int Counted { get; private set; }

    public override DurableTask<int> Count(int by) => Counted += 10 * by;

    protected override void BecomingPrimary(ImmortalContext context) => _ledger.Open(this, This);
}
