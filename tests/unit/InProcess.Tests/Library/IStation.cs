namespace Ambrosia.InProcess.Tests.Library;

/// <summary>Knows temperatures by the resolver of the options.</summary>
[ImmortalInterface, Resolver(Types = new[] { typeof(Temperature) })]
public interface IStation
{
    Temperature? Coldest(List<Temperature> measured);
}
