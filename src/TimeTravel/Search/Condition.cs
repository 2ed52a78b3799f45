using System.Text.Json;
using Ambrosia.Inspection.Text;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Search;

/// <summary>
/// What a person wants to stop at: <c>method == "Deposit" and args.amount > 100</c>, or <c>state.accounts.alice &lt; 0</c>. Names: method,
/// from, kind, lsn, index, time, args.NAME or args[N], state.PATH. Operators: == != &lt; &lt;= > >= contains, and, or, not, brackets.
/// </summary>
public sealed class Condition
{
    private readonly Func<Scope, object?> _evaluate;

    internal Condition(Func<Scope, object?> evaluate, bool needsState) => (_evaluate, NeedsState) = (evaluate, needsState);

    /// <summary>Whether it asks for the state: then it can only be judged after a message, one by one.</summary>
    public bool NeedsState { get; }

    /// <summary>Reads a condition.</summary>
    /// <exception cref="ReplayException">It is none; the text says where.</exception>
    public static Condition Parse(string text, MethodNames names) => new ConditionParser(text, names).Parse();

    /// <summary>Whether it holds for a message, and the state behind it if that is asked for.</summary>
    public bool Holds(LoggedMessage message, JsonElement? state = null) => _evaluate(new Scope(message, state)) is true;

    /// <summary>What names stand for.</summary>
    internal readonly record struct Scope(LoggedMessage Message, JsonElement? State);
}
