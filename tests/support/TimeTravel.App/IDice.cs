using Ambrosia;

namespace TimeTravelApp;

/// <summary>Rolls, and tells somebody.</summary>
[ImmortalInterface]
public interface IDice
{
    [Impulse]
    void Roll(long number);

    void Tell(string text);
}
