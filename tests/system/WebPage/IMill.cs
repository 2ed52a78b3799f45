using Ambrosia;

namespace WebPage;

/// <summary>What mill and bakery do for each other.</summary>
[ImmortalInterface]
public interface IMill
{
    /// <summary>Grinds so many sacks and orders a loaf for them; how many were ground in all.</summary>
    [Impulse]
    long Grind(long first, int count, string label);

    void Flour(long number, string label);

    string Bake(string label);

    [Impulse, Query]
    long Ground();
}
