namespace Ambrosia.InProcess.Tests.Library;

public sealed class Weather : WeatherBase
{
    public override DurableTask<Temperature> Warmest(Temperature[] measured) => measured.MaxBy(static t => t.ToTenths());

    public override DurableTask Sound(Tone tone) => DurableTask.CompletedTask;

    public override async DurableTask<Order> Heat(Temperature to, Order order) => await Effects<ThermostatEffects>().TurnAsync(to, order);
}
