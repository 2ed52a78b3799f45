using Ambrosia;

namespace Vouchers;

/// <summary>Keeps the vouchers. It holds a bug, which the guide finds: docs/guide/debugging.md, "A bug found in three commands".</summary>
public sealed class Counter : VouchersBase
{
    private readonly DurableDictionary<string, int> _cards = [];
    private readonly List<string> _journal = [];
    private int _delivered;

    [NotSaved]
    private readonly bool _fixed = Edition.IsFixed;

    public override async DurableTask<bool> Spend(string card, int amount)
    {
        if (_cards[card] < amount)
        {
            This.RefuseFork(card, amount);
            return false;
        }

        await This.EnterAsync(card, amount);
        if (_fixed && _cards[card] < amount)
        {
            This.RefuseFork(card, amount);
            return false;
        }

        _cards[card] -= amount;
        This.DeliverFork(card, amount);
        return true;
    }

    public override DurableTask Enter(string card, int amount)
    {
        _journal.Add($"{LogTime:HH:mm:ss} {card} {amount}");
        if (_journal.Count > 10)
        {
            _journal.RemoveAt(0); // Older lines are at the tax office.
        }

        return default;
    }

    public override DurableTask Deliver(string card, int amount)
    {
        _delivered += amount;
        return default;
    }

    public override DurableTask Refuse(string card, int amount) => default;

    public override DurableTask<string> Close()
    {
        KeyValuePair<string, int> lowest = _cards.MinBy(static card => card.Value);
        return $"voucher {lowest.Key} is worth {lowest.Value}";
    }

    protected override DurableTask OnFirstStart()
    {
        for (int i = 1; i <= Shop.Cards; i++)
        {
            _cards[$"c{i}"] = 100;
        }

        return default;
    }

    protected override void BecomingPrimary(ImmortalContext context) => _ = Shop.OpenAsync(This, Log);
}
