using System.Globalization;
using System.Text;

namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>
/// Inputs that are kept for ever: for each outcome of each parser one that leads to it, and each that ever failed. One line each: what is
/// expected, a tab, the bytes in hexadecimal, where <c>(00x3960)</c> stands for a byte that comes 3960 times.
/// </summary>
internal static class Corpus
{
    /// <summary>The expectation of an input that once failed: whatever becomes of it now, the properties must hold.</summary>
    public const string OnceFailed = "once failed";

    public static IReadOnlyList<(string Expected, byte[] Input)> Load(string target)
    {
        string path = Path.Combine(AppContext.BaseDirectory, "Corpus", target + ".txt");
        return !File.Exists(path) ? [] : [.. File.ReadLines(path).Where(static line => line.Contains('\t', StringComparison.Ordinal))
            .Select(static line => (line.Split('\t')[0], Parse(line.Split('\t')[1])))];
    }

    /// <summary>Adds lines to the target's file in the repository.</summary>
    public static void Append(string target, IEnumerable<(string Expected, byte[] Input)> entries)
    {
        if (Repository.Root is { } root)
        {
            File.AppendAllLines(Path.Combine(root, "tests", "harnesses", "Fuzz.Tests", "Corpus", target + ".txt"),
                entries.Select(static entry => $"{entry.Expected}\t{Print(entry.Input)}"));
        }
    }

    public static string Print(ReadOnlySpan<byte> input)
    {
        var text = new StringBuilder();
        for (int i = 0; i < input.Length;)
        {
            int run = input[i..].IndexOfAnyExcept(input[i]);
            run = run < 0 ? input.Length - i : run;
            if (run > 8)
            {
                text.Append(CultureInfo.InvariantCulture, $"({input[i]:x2}x{run})");
                i += run;
            }
            else
            {
                text.Append(CultureInfo.InvariantCulture, $"{input[i++]:x2}");
            }
        }

        return text.ToString();
    }

    public static byte[] Parse(string text)
    {
        var bytes = new List<byte>();
        for (int i = 0; i < text.Length;)
        {
            if (text[i] == '(')
            {
                int end = text.IndexOf(')', i);
                int count = int.Parse(text.AsSpan(i + 4, end - i - 4), CultureInfo.InvariantCulture);
                bytes.AddRange(Enumerable.Repeat(Convert.ToByte(text.Substring(i + 1, 2), 16), count));
                i = end + 1;
            }
            else
            {
                bytes.Add(Convert.ToByte(text.Substring(i, 2), 16));
                i += 2;
            }
        }

        return [.. bytes];
    }
}
