using Ambrosia;

namespace NamespaceOfName;

/// <summary>Every field is state and survives. Handlers run one after the other, and each message is executed exactly once.</summary>
public sealed class Counter : CounterBase
{
    private int _total;

    public override DurableTask<int> Add(int amount) => _total += amount;

    // Called after each start and each recovery; what it starts lies outside of the immortal.
    protected override void BecomingPrimary(ImmortalContext context) => _ = Keyboard.ServeAsync(This, context);
}
