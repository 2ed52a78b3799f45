namespace Ambrosia.Simulation.Tests;

/// <summary>Ids of the methods of <see cref="IWalker"/>, as the generator chose them.</summary>
internal sealed record WalkerMethods(int Walk, int Ask, int Poke)
{
    public static WalkerMethods Find()
    {
        IReadOnlyList<ImmortalMethod> methods = new Walker().GetContract().Methods;
        return new WalkerMethods(IdOf("Walk"), IdOf("Ask"), IdOf("Poke"));

        int IdOf(string name) => methods.Single(method => method.Name == name).Id;
    }
}
