using Ambrosia;

namespace NamespaceOfName;

/// <summary>What the counter can be asked. The generator makes CounterBase and CounterProxy of it.</summary>
[ImmortalInterface]
public interface ICounter
{
    /// <summary>Adds to the total. An impulse comes from outside of immortals: here, from the keyboard.</summary>
    /// <returns>The new total.</returns>
    [Impulse]
    int Add(int amount);
}
