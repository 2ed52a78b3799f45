using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>What an effect interface offers: generated from it.</summary>
/// <param name="InterfaceType">The interface.</param>
/// <param name="MaxPending">Effects of it that one immortal may have pending.</param>
/// <param name="Methods">The methods in the order of their ids.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record EffectContract(Type InterfaceType, int MaxPending, IReadOnlyList<EffectMethod> Methods)
{
    /// <summary>Name of the interface, for people.</summary>
    public string InterfaceName => InterfaceType.FullName ?? InterfaceType.Name;

    /// <summary>The method with this id, or null.</summary>
    internal EffectMethod? Find(int id)
    {
        foreach (EffectMethod method in Methods)
        {
            if (method.Id == id)
            {
                return method;
            }
        }

        return null;
    }
}
