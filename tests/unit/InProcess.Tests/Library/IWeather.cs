namespace Ambrosia.InProcess.Tests.Library;

/// <summary>Knows temperatures by the resolver that it names.</summary>
[ImmortalInterface, Resolver(typeof(TemperatureResolver))]
public interface IWeather
{
    Temperature Warmest(Temperature[] measured);

    void Sound(Tone tone);

    Order Heat(Temperature to, Order order);
}
