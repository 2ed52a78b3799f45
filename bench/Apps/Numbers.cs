using System.Globalization;

namespace Ambrosia.Bench;

/// <summary>Numbers as text that does not depend on the machine's language.</summary>
internal static class Numbers
{
    public static string Text(double value) => value.ToString("0.###", CultureInfo.InvariantCulture);

    /// <summary>Four significant digits: more would only be noise.</summary>
    public static double Short(double value)
    {
        if (value == 0 || !double.IsFinite(value))
        {
            return value;
        }

        double unit = Math.Pow(10, Math.Floor(Math.Log10(Math.Abs(value))) - 3);
        return double.Parse((Math.Round(value / unit) * unit).ToString("G4", CultureInfo.InvariantCulture), CultureInfo.InvariantCulture);
    }
}
