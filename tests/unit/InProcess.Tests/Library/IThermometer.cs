namespace Ambrosia.InProcess.Tests.Library;

/// <summary>Takes temperatures, by the resolver of the options alone.</summary>
[ImmortalInterface, Resolver(Types = new[] { typeof(Temperature) })]
public interface IThermometer
{
    [Impulse]
    int Measured(Temperature temperature);
}
