using Ambrosia;

namespace WordCount;

/// <summary>Counts its share of all words.</summary>
[ImmortalInterface]
public interface ICounter
{
    void Count(string[] words);

    Dictionary<string, long> Table();
}
