using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.State;

/// <summary>
/// Where the app has died: a range of messages at first, one message once the app had said which one it began. Deaths are counted running.
/// </summary>
/// <param name="First">First message of the range.</param>
/// <param name="Last">Last message of the range.</param>
/// <param name="Deaths">How often running.</param>
/// <param name="Exact">The range is one message that the app had begun.</param>
/// <param name="Escaped">Something of it may have left already: it cannot be skipped.</param>
/// <param name="How">How the app ended last.</param>
/// <param name="Build">The build that died.</param>
internal sealed record Suspect(MessagePosition First, MessagePosition Last, int Deaths, bool Exact, bool Escaped, string How, string Build)
{
    /// <summary>
    /// Whether something of it has left could not be known at the last death: an instance that may have got it from an earlier life had not
    /// answered.
    /// </summary>
    public bool Unsure { get; init; }

    /// <summary>The last message, in words: the end of a record has no number.</summary>
    public string LastText => Last.Index == int.MaxValue ? $"the end of record {Last.Lsn}" : Last.ToString();

    public bool Contains(MessagePosition position) => First <= position && position <= Last;

    public bool Overlaps(MessagePosition first, MessagePosition last) => first <= Last && First <= last;

    /// <summary>One more death, in a message that the app had begun.</summary>
    public static Suspect After(Suspect? before, MessagePosition begun, bool escaped, string how, string build)
    {
        bool again = before is not null && before.Contains(begun) && before.Build == build;
        return new Suspect(begun, begun, again ? before!.Deaths + 1 : 1, Exact: true, escaped || (again && before!.Escaped), how, build);
    }

    /// <summary>One more death of which nobody knows where in the range it was.</summary>
    public static Suspect After(Suspect? before, MessagePosition first, MessagePosition last, bool escaped, string how, string build) =>
        before is not null && before.Overlaps(first, last) && before.Build == build
            ? before with { Escaped = before.Escaped || escaped }
            : new Suspect(first, last, 1, Exact: false, escaped, how, build);

    public QuarantineStep ToMark(TaskCompletionSource? applied = null) =>
        new(PoisonStep.Suspected, First, Last, Deaths, Escaped, Exact, QuarantineStep.Cut(How), QuarantineStep.Cut(Build))
            { Applied = applied, Unsure = Unsure };

    public static Suspect Of(QuarantineStep mark) =>
        new(mark.First, mark.Last, mark.Deaths, mark.Exact, mark.Escaped, mark.Text, mark.Detail) { Unsure = mark.Unsure };
}
