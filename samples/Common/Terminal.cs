namespace Ambrosia.Samples;

/// <summary>Text for a person: colours on a terminal only, and never when NO_COLOR is set.</summary>
internal static class Terminal
{
    private static readonly bool s_colours =
        !Console.IsOutputRedirected && string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));

    public static string Bold(string text) => Paint("1", text);

    public static string Dim(string text) => Paint("2", text);

    public static string Good(string text) => Paint("32", text);

    public static string Bad(string text) => Paint("31", text);

    private static string Paint(string code, string text) => s_colours ? $"\u001b[{code}m{text}\u001b[0m" : text;
}
