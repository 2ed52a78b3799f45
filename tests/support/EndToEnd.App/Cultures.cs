using System.Globalization;

namespace EndToEnd;

/// <summary>What .NET does differently from culture to culture, without anybody asking for a culture.</summary>
internal static class Cultures
{
    /// <summary>A text in which most cultures of the world differ.</summary>
    public static string Speak()
    {
#pragma warning disable CA1304, CA1305, CA1311 // It is the point that none is named.
        var sorted = new SortedSet<string> { "z", "\u00e4", "a", "\u00f6", "o", "\u0131", "I", "i", "H", "ch", "cz" };
        string letters = "TITLE".ToLower() + "title".ToUpper();
        string number = 1234.5.ToString() + " " + double.Parse("1.5").ToString() + " " + new DateTime(2026, 12, 31).ToString();
#pragma warning restore CA1304, CA1305, CA1311
        return $"{CultureInfo.CurrentCulture.Name}/{CultureInfo.CurrentUICulture.Name} {letters} {number} {string.Join(' ', sorted)}";
    }
}
