using System.Globalization;
using System.Numerics;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>An integer whose values have names.</summary>
internal sealed record EnumShape(int Number, string Name, ScalarKind Numbers, IReadOnlyList<KeyValuePair<string, BigInteger>> Values)
    : NamedShape(Number, Name)
{
    private const int LongestText = 4096; // Each of its parts is compared with each name.

    /// <summary>The name of a value; null if it has none.</summary>
    public string? NameOf(BigInteger value) => Values.FirstOrDefault(pair => pair.Value == value).Key;

    /// <summary>The value of a name, of several with commas between, or of digits.</summary>
    public bool TryParse(string text, out BigInteger value)
    {
        value = default;
        if (text.Length > LongestText)
        {
            return false;
        }

        foreach (string part in text.Split(',', StringSplitOptions.TrimEntries))
        {
            BigInteger digits = default;
            BigInteger? known = Find(part, StringComparison.Ordinal) ?? Find(part, StringComparison.OrdinalIgnoreCase);
            if (known is null && (part.Length > 40
                || !BigInteger.TryParse(part, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out digits)))
            {
                return false;
            }

            value |= known ?? digits;
        }

        return true;
    }

    private BigInteger? Find(string name, StringComparison comparison)
    {
        foreach ((string known, BigInteger value) in Values)
        {
            if (string.Equals(known, name, comparison))
            {
                return value;
            }
        }

        return null;
    }
}
