namespace Ambrosia;

/// <summary>
/// Saved state needs code that this build does not have: methods with suspended calls were changed, or types in use were removed.
/// Nothing was lost: the same state still loads with the build that wrote it.
/// </summary>
public sealed class CannotResumeException : InvalidOperationException
{
    internal CannotResumeException(IReadOnlyList<string> refusals)
        : base("The saved state does not fit this build of the application "
            + $"({refusals.Count} refusal{(refusals.Count == 1 ? "" : "s")}, {Code}):"
            + $"{Environment.NewLine}  "
            + string.Join(Environment.NewLine + "  ", refusals)
            + $"{Environment.NewLine}Resume it with the build that wrote it, or keep the old body of each method beside the new one, "
            + $"marked [Continues].")
    {
        Refusals = refusals;
    }

    /// <summary>The code under which docs/operate/errors.md describes it.</summary>
    public static string Code => VersionErrors.CannotResume.Id;

    /// <summary>One sentence for each method or type, naming the owner, the method, and the saved and the present fingerprint.</summary>
    public IReadOnlyList<string> Refusals { get; }
}
