using Ambrosia;

namespace NamespaceOfName;

/// <summary>Where requests become messages: what comes from outside comes in as an impulse.</summary>
[ImmortalInterface]
public interface IFront
{
    /// <summary>Places an order.</summary>
    /// <returns>What became of it.</returns>
    [Impulse]
    string Order(string id, string item, int quantity);
}
