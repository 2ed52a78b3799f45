using System.Globalization;

namespace Ambrosia.Cli.Explaining;

/// <summary>The codes that somebody may have meant.</summary>
internal static class NearCodes
{
    private const int Most = 3;

    /// <summary>Those with the nearest numbers; for a word, those whose titles have it.</summary>
    public static IEnumerable<ErrorCode> Of(string text)
    {
        string digits = string.Concat(text.Where(char.IsAsciiDigit).Take(9));
        if (digits.Length < 3)
        {
            return ErrorCatalogue.All.Where(code => code.Title.Contains(text, StringComparison.OrdinalIgnoreCase)).Take(Most);
        }

        int number = int.Parse(digits, CultureInfo.InvariantCulture);
        return ErrorCatalogue.All.OrderBy(code => Mistypes(code.Number, digits)).ThenBy(code => Math.Abs(code.Number - number)).Take(Most);
    }

    // Digits that differ: one wrong digit is likelier than a code that happens to have a near number.
    private static int Mistypes(int number, string digits)
    {
        string right = number.ToString("D4", CultureInfo.InvariantCulture);
        return Math.Abs(right.Length - digits.Length) + right.Zip(digits).Count(static pair => pair.First != pair.Second);
    }
}
