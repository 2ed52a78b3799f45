namespace Ambrosia.InProcess.Tests.Library;

/// <summary>Notes what it was told, and gives back the order.</summary>
public sealed class Thermostat : IThermostat
{
    public List<int> Turned { get; } = [];

    public Task<Order> Turn(Temperature to, Order order, EffectContext effect)
    {
        Turned.Add(to.ToTenths());
        return Task.FromResult(order);
    }
}
