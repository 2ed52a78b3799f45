using System.Globalization;
using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>
/// The culture of turns is the invariant one. What a text looks like, how one is parsed and how a sorted collection compares strings
/// follow the culture, and the machine that replays a log may have another one than the machine that wrote it.
/// </summary>
internal static class TurnCulture
{
    /// <summary>
    /// Makes it the culture of what this thread runs from here on. The app's own threads and callers keep theirs: a culture flows with
    /// the asynchronous method that set it, and ends with it. Two comparisons where nothing is to be changed; a handler may have set
    /// another one.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Pin()
    {
        if (!ReferenceEquals(CultureInfo.CurrentCulture, CultureInfo.InvariantCulture)
            || !ReferenceEquals(CultureInfo.CurrentUICulture, CultureInfo.InvariantCulture))
        {
            Set(CultureInfo.InvariantCulture, CultureInfo.InvariantCulture);
        }
    }

    /// <summary>Makes other cultures current, for code that is no turn.</summary>
    public static void Set(CultureInfo culture, CultureInfo uiCulture)
    {
        CultureInfo.CurrentCulture = culture;
        CultureInfo.CurrentUICulture = uiCulture;
    }
}
