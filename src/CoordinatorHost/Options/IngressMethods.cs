using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Options;

/// <summary>Which methods may be called from outside.</summary>
public sealed class IngressMethods
{
    private readonly HashSet<string>? _names;
    private readonly string _text;
    private readonly bool _all;
    private IngressMethods? _also;

    private IngressMethods(string text, bool all, HashSet<string>? names) => (_text, _all, _names) = (text, all, names);

    /// <summary>Those whose author has marked them with <c>[Impulse]</c>: "lets a method be called from the outside world".</summary>
    public static IngressMethods Impulses { get; } = new("impulses", false, null);

    /// <summary>All.</summary>
    public static IngressMethods All { get; } = new("all", true, null);

    /// <summary>Reads <c>impulses</c>, <c>all</c>, or names with commas between.</summary>
    public static IngressMethods? TryParse(string text)
    {
        string[] names = text.Split(',', StringSplitOptions.TrimEntries);
        return text switch
        {
            "impulses" => Impulses,
            "all" => All,
            _ when Array.TrueForAll(names, static name => name.Length > 0 && name.All(static c => char.IsLetterOrDigit(c) || c == '_')) =>
                new IngressMethods(string.Join(',', names), false, new HashSet<string>(names, StringComparer.Ordinal)),
            _ => null,
        };
    }

    /// <summary>Those that are named, in the order of their names; none if a kind of methods is.</summary>
    internal IEnumerable<string> Named => (_names ?? []).Order(StringComparer.Ordinal);

    /// <inheritdoc/>
    public override string ToString() => _text;

    /// <summary>Those of both.</summary>
    internal IngressMethods And(IngressMethods other) => new(_text, _all, _names) { _also = _also is null ? other : _also.And(other) };

    /// <summary>Whether this one may be called.</summary>
    internal bool Offers(MethodShape method) =>
        (_all || (_names?.Contains(method.Name) ?? method.IsImpulse)) && (_also?.Offers(method) ?? true);
}
