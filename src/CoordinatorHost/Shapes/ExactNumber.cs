using System.Globalization;
using System.Numerics;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Numbers as texts, none of which may lose a digit.</summary>
internal static class ExactNumber
{
    private const int LongestInteger = 400; // Reading digits takes the square of their number.
    private const int LongestDecimal = 64;

    /// <summary>A whole number: digits, or what is equal to such, as 1.0 and 1e3.</summary>
    public static bool TryInteger(string text, out BigInteger value)
    {
        value = default;
        if (text.Length > LongestInteger)
        {
            return false;
        }

        if (BigInteger.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value))
        {
            return true;
        }

        if (!TryDecimal(text, out decimal number) || number != decimal.Truncate(number))
        {
            return false;
        }

        value = new BigInteger(number);
        return true;
    }

    /// <summary>A decimal that is exactly what the text says; zeros at its end are kept.</summary>
    public static bool TryDecimal(string text, out decimal value)
    {
        const NumberStyles Style = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        value = 0;
        return text.Length is > 0 and <= LongestDecimal && decimal.TryParse(text, Style, CultureInfo.InvariantCulture, out value)
            && Normal(text) == Normal(value.ToString(CultureInfo.InvariantCulture));
    }

    // Significant digits and the power of ten that they are multiplied with.
    private static (string Digits, int Power) Normal(string text)
    {
        int exponent = text.IndexOfAny(['e', 'E']);
        int power = exponent < 0 ? 0
            : int.TryParse(text.AsSpan(exponent + 1), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int given)
            ? Math.Clamp(given, -100_000, 100_000) : 100_000;
        string mantissa = exponent < 0 ? text : text[..exponent];
        int point = mantissa.IndexOf('.');
        power -= point < 0 ? 0 : mantissa.Length - point - 1;
        string digits = mantissa.Replace(".", "", StringComparison.Ordinal).TrimStart('-', '+').TrimStart('0');
        string significant = digits.TrimEnd('0');
        string sign = text.StartsWith('-') ? "-" : "";
        return significant.Length == 0 ? ("0", 0) : (sign + significant, power + digits.Length - significant.Length);
    }
}
