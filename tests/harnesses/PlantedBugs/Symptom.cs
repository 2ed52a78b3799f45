namespace Ambrosia.PlantedBugs;

/// <summary>What a run must look like to count as one that has noticed a bug.</summary>
/// <param name="Texts">What the failure must say, one of them; none for anything that a test's own assertion says.</param>
/// <param name="Ending">How the run must end. Of a runner that crashed or was killed nobody knows what it has noticed, so a bug must name
/// such an ending, and why it is the right one.</param>
internal sealed record Symptom(IReadOnlyList<string> Texts, Outcome Ending)
{
    /// <summary>A test's assertion failed, whatever it says.</summary>
    public static Symptom Assertion { get; } = new([], Outcome.Violation);

    /// <summary>
    /// Whether a run shows it. An exception that is no assertion counts by its text alone: that of the product's own refusal, or of a
    /// test that has waited in vain.
    /// </summary>
    public bool IsShownBy(Outcome outcome, string output) =>
        (outcome == Ending || (outcome == Outcome.Threw && Ending == Outcome.Violation && Texts.Count > 0))
        && (Texts.Count == 0 || Texts.Any(text => output.Contains(text, StringComparison.Ordinal)));
}
