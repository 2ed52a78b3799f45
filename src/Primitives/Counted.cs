using System.Globalization;

namespace Ambrosia.Primitives;

/// <summary>Numbers of things as people write them: <c>1 segment</c>, <c>2 segments</c>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class Counted
{
    /// <summary>So many of something.</summary>
    /// <param name="count">How many.</param>
    /// <param name="one">The word for one.</param>
    /// <param name="many">The word for any other number; by default with an s.</param>
    /// <param name="format">Format of the number; by default all digits, without commas.</param>
    public static string Of(long count, string one, string? many = null, string format = "0") =>
        $"{count.ToString(format, CultureInfo.InvariantCulture)} {(count == 1 ? one : many ?? one + "s")}";

    /// <summary>The same for numbers without a sign.</summary>
    public static string Of(ulong count, string one, string? many = null, string format = "0") =>
        $"{count.ToString(format, CultureInfo.InvariantCulture)} {(count == 1 ? one : many ?? one + "s")}";
}
