namespace Ambrosia.InProcess.Tests.Library;

/// <summary>Turns the heating, outside: by a resolver's types and the library's.</summary>
[EffectInterface, Resolver(typeof(TemperatureResolver), Types = new[] { typeof(Temperature) })]
public interface IThermostat
{
    Task<Order> Turn(Temperature to, Order order, EffectContext effect);
}
