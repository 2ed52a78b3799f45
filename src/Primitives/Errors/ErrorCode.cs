using System.Globalization;

namespace Ambrosia.Primitives.Errors;

/// <summary>
/// One kind of failure. Its number is stable and never reused. The classes of this folder declare all there are: what throws or refuses
/// names one of these, docs/operate/errors.md and <c>ambrosia explain</c> are made from them, and decisions compare them, never their text.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ErrorCode
{
    private readonly ExitCode? _exitIfFatal;

    internal ErrorCode(int number, string title, ExitCode? exit, string meaning, string safe, string advice, ExitCode? exitIfFatal = null)
    {
        Number = number;
        Title = title;
        ExitCode = exit;
        Meaning = meaning;
        Safe = safe;
        Advice = advice;
        _exitIfFatal = exitIfFatal;
    }

    /// <summary>Such as 2033.</summary>
    public int Number { get; }

    /// <summary>As lines, logs and the wire have it, such as IC-2033.</summary>
    public string Id => string.Create(CultureInfo.InvariantCulture, $"IC-{Number:D4}");

    /// <summary>A few words, without a full stop.</summary>
    public string Title { get; }

    /// <summary>How a coordinator ends because of it; null if it goes on, or if the failure is the app's or a client's.</summary>
    public ExitCode? ExitCode { get; }

    /// <summary>How a process ends that does not go on all the same.</summary>
    public ExitCode ExitCodeIfFatal => ExitCode ?? _exitIfFatal ?? Errors.ExitCode.Internal;

    /// <summary>
    /// When it happens, with causes to look at. Like all texts here it may hold Markdown, with links as from the folder docs.
    /// </summary>
    public string Meaning { get; }

    /// <summary>What is safe.</summary>
    public string Safe { get; }

    /// <summary>What to do.</summary>
    public string Advice { get; }

    public override string ToString() => Id;
}
