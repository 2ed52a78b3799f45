using Ambrosia;
using Microsoft.Extensions.Logging;

namespace Orders;

/// <summary>Keeps count of what is reserved.</summary>
public sealed class Warehouse : WarehouseBase
{
    private readonly DurableDictionary<string, int> _taken = [];

    public override DurableTask Reserve(int order, string item)
    {
        _taken[item] = _taken.GetValueOrDefault(item) + 1;
        return DurableTask.CompletedTask;
    }

    public override async DurableTask Release(int order, string item)
    {
        Log.LogInformation("puts a {Item} back", item);
        await Delay(TimeSpan.FromSeconds(1));
        _taken[item]--;
    }

    public override DurableTask<string> Report() => string.Join(", ", _taken.Select(static each => $"{10 - each.Value} {each.Key}"));

    protected override void BecomingPrimary(ImmortalContext context) =>
        _ = Desk.ServeAsync(context, async line => line == Desk.Open ? Desk.Ready : await This.ReportImpulse());
}
