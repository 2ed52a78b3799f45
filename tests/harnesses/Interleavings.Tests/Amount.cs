using System.Globalization;

namespace Ambrosia.Interleavings.Tests;

/// <summary>How much is explored: AMBROSIA_INTERLEAVINGS percent of what CI does, ten times as much in a soak.</summary>
internal static class Amount
{
    public static int Of(int ordinary)
    {
        int percent = int.TryParse(Environment.GetEnvironmentVariable("AMBROSIA_INTERLEAVINGS"), NumberStyles.None,
            CultureInfo.InvariantCulture, out int asked) ? asked
            : Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1" ? 1000 : 100;
        return (int)(ordinary * (long)percent / 100);
    }
}
