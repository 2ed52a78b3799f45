using Ambrosia.Coordinator.Records;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Comparing;

/// <summary>
/// Compares the effects that a version asks for with those of another version, or with the outcomes in the log: a version that asks for
/// something else would end at them (docs/internals/effect-rules.md E8).
/// </summary>
/// <param name="instance">Whose log it is: nobody else's impulses are outcomes.</param>
internal sealed class EffectCheck(string instance)
{
    private ulong _from;
    private Position? _quarantined;
    private readonly Dictionary<(ulong Lsn, int Index, int Ordinal), (ulong Hash, string Call)> _asked = [];

    /// <summary>Effects asked for so far.</summary>
    public long Count { get; private set; }

    /// <summary>The run begins.</summary>
    /// <param name="from">It begins after this record: what was asked for before it is not known.</param>
    /// <param name="quarantined">First message that was taken out, if one was: from there on the outcomes in the log are right.</param>
    public void Begin(ulong from, Position? quarantined) => (_from, _quarantined) = (from, quarantined);

    /// <summary>The new version asked for these.</summary>
    /// <param name="effects">In the order in which it did.</param>
    /// <param name="keep">Whether outcomes in the log will be compared with them.</param>
    public void Asked(IReadOnlyList<EffectAsked> effects, bool keep)
    {
        Count += effects.Count;
        foreach (EffectAsked effect in keep ? effects : [])
        {
            _asked[(effect.Lsn, effect.Index, effect.Ordinal)] = (effect.Hash, MessageText.Call(effect));
        }
    }

    /// <summary>Messages of two versions that asked for different effects, in order, and the difference in words.</summary>
    public static IEnumerable<(Position At, string Text)> Between(IReadOnlyList<EffectAsked> expected, IReadOnlyList<EffectAsked> actual)
    {
        if (expected.Count == 0 && actual.Count == 0)
        {
            yield break;
        }

        ILookup<Position, EffectAsked> before = expected.ToLookup(static effect => new Position(effect.Lsn, effect.Index));
        ILookup<Position, EffectAsked> after = actual.ToLookup(static effect => new Position(effect.Lsn, effect.Index));
        foreach (Position at in before.Concat(after).Select(static group => group.Key).Distinct().Order())
        {
            if (Judge([.. before[at]], [.. after[at]]) is { } text)
            {
                yield return (at, text);
            }
        }
    }

    /// <summary>Outcomes in a stretch of the log that this version did not ask for in this way.</summary>
    public IEnumerable<(Position Asked, string Text)> Contradicted(StateChunk chunk)
    {
        foreach ((LoggedRecord record, int first, int count) in chunk.Parts)
        {
            int end = record.Inputs.Any(input => input.Name == instance) ? first + count : first;
            for (int i = first; i < end; i++)
            {
                if (Contradiction(record[i]) is { } contradiction)
                {
                    yield return contradiction;
                }
            }
        }
    }

    private (Position, string)? Contradiction(LoggedMessage message)
    {
        RpcHeader rpc = message.Rpc;
        if (rpc is not { Form: RpcForm.Call, MethodId: ReservedMethods.EffectDone, Kind: RpcKind.Impulse })
        {
            return null;
        }

        EffectOutcomeHead outcome;
        try
        {
            outcome = EffectOutcomeHead.Read(rpc.Body, out _);
        }
        catch (ProtocolException)
        {
            return null; // Anything may follow a reserved id.
        }

        var asked = new Position(outcome.Lsn, outcome.Index);
        if (outcome.Lsn <= _from || asked >= _quarantined)
        {
            return null;
        }

        return !_asked.TryGetValue((outcome.Lsn, outcome.Index, outcome.Ordinal), out (ulong Hash, string Call) known)
            ? (asked, $"does not ask for effect {outcome.Key}, whose outcome is in the log at {message.Position}")
            : known.Hash != outcome.Hash
                ? (asked, $"asks for {known.Call} as effect {outcome.Key}; the outcome at {message.Position} is of another method or of "
                    + "other arguments")
                : null;
    }

    private static string? Judge(List<EffectAsked> before, List<EffectAsked> after)
    {
        if (before.Count != after.Count)
        {
            return $"asks for {Counted.Of(after.Count, "effect")} instead of {before.Count}: {Describe(after)} instead of "
                + $"{Describe(before)}";
        }

        int other = before.Zip(after).TakeWhile(static pair => pair.First.Hash == pair.Second.Hash).Count();
        return other == before.Count ? null
            : $"asks for {MessageText.Call(after[other])} instead of {MessageText.Call(before[other])}";
    }

    private static string Describe(List<EffectAsked> effects) =>
        effects.Count == 0 ? "none" : string.Join(", ", effects.Take(3).Select(MessageText.Call)) + (effects.Count > 3 ? ", ..." : "");
}
