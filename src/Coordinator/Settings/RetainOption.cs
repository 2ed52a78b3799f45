using System.Globalization;

namespace Ambrosia.Coordinator.Settings;

/// <summary>
/// What is kept: <c>count:2</c>, <c>size:10GiB</c> or <c>all</c>. Two checkpoints with their log are kept at least, whatever it says.
/// </summary>
/// <param name="Kind">How it is limited.</param>
/// <param name="Value">Checkpoints or bytes; 0 for all.</param>
public readonly record struct RetainOption(RetainKind Kind, long Value)
{
    /// <summary>Fewest checkpoints that may be asked for: one alone could turn out damaged.</summary>
    public const int LeastCount = 2;

    /// <summary>Two checkpoints with their log.</summary>
    public static RetainOption Default => new(RetainKind.Count, LeastCount);

    /// <summary>Reads the text form; false when it is none.</summary>
    public static bool TryParse(string text, out RetainOption retain)
    {
        retain = Default;
        if (text == "all")
        {
            retain = new(RetainKind.All, 0);
            return true;
        }

        if (text.StartsWith("count:", StringComparison.Ordinal)
            && int.TryParse(text.AsSpan("count:".Length), NumberStyles.None, CultureInfo.InvariantCulture, out int count)
            && count >= LeastCount)
        {
            retain = new(RetainKind.Count, count);
            return true;
        }

        if (text.StartsWith("size:", StringComparison.Ordinal) && ByteSize.TryParse(text["size:".Length..], out long bytes) && bytes > 0)
        {
            retain = new(RetainKind.Size, bytes);
            return true;
        }

        return false;
    }

    /// <summary>The text form.</summary>
    public override string ToString() => Kind switch
    {
        RetainKind.Count => string.Create(CultureInfo.InvariantCulture, $"count:{Value}"),
        RetainKind.Size => $"size:{ByteSize.Format(Value)}",
        _ => "all",
    };
}
