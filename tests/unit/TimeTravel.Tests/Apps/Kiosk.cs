using Ambrosia.TimeTravel.Tests.Support;

namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>Asks for effects; a version with one change, if one is given, which shows only for one number of copies.</summary>
public sealed class Kiosk : KioskBase
{
    public const int Changed = 7;
    private int _sold;

    [NotSaved]
    private readonly KioskChange _change;

    public Kiosk()
    {
    }

    public Kiosk(KioskChange change) => _change = change;

    /// <summary>Sales whose receipts were printed.</summary>
    public int Sold => _sold;

    public override async DurableTask Sell(string what, int copies)
    {
        bool changes = copies == Changed;
        ReceiptsEffects receipts = Effects<ReceiptsEffects>();
        if (changes && _change == KioskChange.OneMore)
        {
            receipts.OpenFork();
        }

        if (!(changes && _change == KioskChange.OneLess))
        {
            await receipts.PrintAsync(what, changes && _change == KioskChange.OtherArguments ? copies + 1 : copies);
        }

        _sold++;
    }

    protected override void BecomingPrimary(ImmortalContext context) => KioskLog.Opened(context, This);
}
