namespace Ambrosia;

/// <summary>
/// Where in the app's own code an exception was thrown: what a person looks for first, without the frames of this library and of .NET.
/// </summary>
internal static class UserFrames
{
    private const int Most = 4;
    private static readonly string[] s_others = ["at Ambrosia.", "at System.", "at Microsoft.", "---"];

    /// <summary>The innermost frames as <c> at A.B() in File.cs:line 7; at ...</c>; empty if there are none.</summary>
    public static string Of(Exception error)
    {
        IEnumerable<string> frames = (error.StackTrace ?? "")
            .Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Where(static line => !Array.Exists(s_others, other => line.StartsWith(other, StringComparison.Ordinal))).Take(Most);
        string text = string.Join("; ", frames);
        return text.Length == 0 ? "" : " " + text;
    }
}
