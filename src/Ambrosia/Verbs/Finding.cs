namespace Ambrosia.Cli.Verbs;

/// <summary>One thing that the doctor looked at.</summary>
/// <param name="What">What was looked at.</param>
/// <param name="Verdict">ok, warning or wrong.</param>
/// <param name="Text">What was found, and what to do about it.</param>
internal sealed record Finding(string What, string Verdict, string Text)
{
    public static Finding Ok(string what, string text) => new(what, "ok", text);

    public static Finding Warning(string what, string text) => new(what, "warning", text);

    public static Finding Wrong(string what, string text) => new(what, "wrong", text);
}
