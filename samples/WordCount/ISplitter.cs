using Ambrosia;

namespace WordCount;

/// <summary>Takes a text block by block and hands its words to the counters.</summary>
[ImmortalInterface]
public interface ISplitter
{
    /// <summary>The block that is expected next: where a reader goes on after a crash.</summary>
    [Impulse]
    long NextBlock();

    /// <summary>One block of text, cut at the end of a line.</summary>
    /// <returns>False if it was not the expected one and was left out.</returns>
    [Impulse]
    bool Take(long block, string text);

    /// <summary>The counters' tables, when everything that was handed to them is counted.</summary>
    [Impulse]
    Dictionary<string, long> Collect();
}
