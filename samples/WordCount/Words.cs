using System.Text;

namespace WordCount;

/// <summary>What a word is: letters and digits, in lower case. One definition for the immortals and for the direct count.</summary>
internal static class Words
{
    public static IEnumerable<string> In(string text)
    {
        int start = -1;
        for (int i = 0; i <= text.Length; i++)
        {
            bool inside = i < text.Length && char.IsLetterOrDigit(text[i]);
            if (inside && start < 0)
            {
                start = i;
            }
            else if (!inside && start >= 0)
            {
                yield return text[start..i].ToLowerInvariant();
                start = -1;
            }
        }
    }

    /// <summary>Chooses the counter of a word; the same in every process, unlike string.GetHashCode.</summary>
    public static int CounterOf(string word, int counters)
    {
        uint hash = 2166136261;
        foreach (byte value in Encoding.UTF8.GetBytes(word))
        {
            hash = (hash ^ value) * 16777619;
        }

        return (int)(hash % (uint)counters);
    }
}
