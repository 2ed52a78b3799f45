namespace Ambrosia.Primitives.Errors;

/// <summary>IC-11xx: arguments and results. They stand in messages of the binding; no line of a coordinator has one.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ArgumentErrors
{
    public static ErrorCode NoFormatter { get; } = new(
        1101, "no formatter for a type", exit: null,
        meaning: "An argument or result is of a type that MessagePack-CSharp has to write or read, and no resolver has a "
            + "formatter for it.",
        safe: "nothing was sent; a receiver has refused the call, a caller the reply",
        advice: "name the resolver in `[Resolver]` on the interface, or in `ImmortalOptions.Resolver` on both sides");

    public static ErrorCode FormatterFailed { get; } = new(
        1102, "formatter failed", exit: null,
        meaning: "A formatter or resolver threw, refused the bytes, or wrote or read something else than one value.",
        safe: "nothing of the value was sent; a receiver has refused the call, a caller the reply",
        advice: "see the exception that it names; mend the formatter, or let the sender send that type");

    public static ErrorCode NullValue { get; } = new(
        1103, "null where a value is needed", exit: null,
        meaning: "An argument, a result or a member of one is null, and its type is declared as not nullable. The text begins with the "
            + "parameter.",
        safe: "nothing was sent; a receiver has refused the call, a caller the reply",
        advice: "give a value; or declare the type with `?`, on both sides");

    /// <summary>All of them, by number.</summary>
    public static IReadOnlyList<ErrorCode> All { get; } =
    [
        NoFormatter, FormatterFailed, NullValue,
    ];
}
