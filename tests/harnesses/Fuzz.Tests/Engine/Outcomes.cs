namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>
/// Counts inputs by what became of them. Reasons that differ only in numbers or quoted text are one: digits become <c>#</c>, what stands
/// between quotation marks <c>'…'</c>.
/// </summary>
internal sealed class Outcomes
{
    private readonly Dictionary<ulong, (string Name, long Count)> _counts = [];

    public IEnumerable<(string Name, long Count)> All => _counts.Values;

    public long Total => _counts.Values.Sum(static entry => entry.Count);

    /// <summary>Counts one; true if it is the first of its kind.</summary>
    public bool Add(string reason)
    {
        ulong key = KeyOf(reason);
        if (_counts.TryGetValue(key, out (string Name, long Count) known))
        {
            _counts[key] = (known.Name, known.Count + 1);
            return false;
        }

        _counts.Add(key, (PlainOf(reason), 1));
        return true;
    }

    public void Add(Outcomes others)
    {
        foreach ((ulong key, (string name, long count)) in others._counts)
        {
            _counts[key] = (name, _counts.GetValueOrDefault(key).Count + count);
        }
    }

    /// <summary>The reason without its numbers and quotations.</summary>
    public static string PlainOf(string reason)
    {
        var plain = new System.Text.StringBuilder(reason.Length);
        Walk(reason, (Text: plain, 0UL), static (state, c) =>
        {
            state.Text.Append(c);
            return state;
        });
        return plain.ToString();
    }

    private static ulong KeyOf(string reason) => Walk(reason, 14695981039346656037UL, static (hash, c) => (hash ^ c) * 1099511628211UL);

    private static T Walk<T>(string reason, T state, Func<T, char, T> take)
    {
        for (int i = 0; i < reason.Length; i++)
        {
            char c = reason[i];
            if (c == '-' && reason.AsSpan(0, i).EndsWith("IC") && i + 5 <= reason.Length)
            {
                // The number of an error is its name.
                for (int end = i + 5; i < end; i++)
                {
                    state = take(state, reason[i]);
                }

                i--;
            }
            else if (char.IsAsciiDigit(c))
            {
                state = take(state, '#');
                while (i + 1 < reason.Length && (char.IsAsciiDigit(reason[i + 1]) || reason[i + 1] == '.'))
                {
                    i++;
                }
            }
            else if (c == '\'' && reason.LastIndexOf('\'') is int end && end > i)
            {
                state = take(take(take(state, '\''), '…'), '\'');
                i = end;
            }
            else if (c is not '-' || i + 1 == reason.Length || !char.IsAsciiDigit(reason[i + 1])
                || (i > 0 && char.IsAsciiLetter(reason[i - 1])))
            {
                state = take(state, char.IsControl(c) ? ' ' : c);
            }
        }

        return state;
    }
}
