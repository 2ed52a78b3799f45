using Ambrosia;

namespace NamespaceOfName;

/// <summary>The immortal in the web app. From its log on, an order is executed exactly once.</summary>
public sealed class Front : FrontBase
{
    public override async DurableTask<string> Order(string id, string item, int quantity) =>
        await Proxy<OrdersProxy>("orders").PlaceAsync(id, item, quantity);

    protected override void BecomingPrimary(ImmortalContext context) => context.Services!.GetRequiredService<FrontDoor>().Open(This);
}
