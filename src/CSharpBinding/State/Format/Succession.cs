using System.Text.RegularExpressions;

namespace Ambrosia.Runtime;

/// <summary>
/// Writes a state as if one object had always been another, of another class: every reference to the first is written as one to the
/// second, and methods suspended in the first's class as methods of the second's. The reader of the bytes finds out whether the second's
/// class has them.
/// </summary>
internal sealed class Succession(object from, object to)
{
    private readonly Dictionary<Type, Dictionary<Type, ContinuationIdentity>> _identities = [];

    // A class derived from the first one has its methods anyway.
    private readonly bool _renames = !from.GetType().IsAssignableFrom(to.GetType());

    public Type From => from.GetType();

    public Type To => to.GetType();

    /// <summary>The object to write for this one.</summary>
    public object Of(object value) => ReferenceEquals(value, from) ? to : value;

    /// <summary>The class whose name is written for this one.</summary>
    public Type Of(Type type) => _renames && type == From ? To : type;

    /// <summary>The identity of a generated type, as it would be in the other class.</summary>
    public ContinuationIdentity IdentityOf(Type generated)
    {
        Type owner = generated.DeclaringType!;
        if (!_renames || !IsInside(owner))
        {
            return ContinuationIdentity.Of(generated);
        }

        if (!_identities.TryGetValue(owner, out Dictionary<Type, ContinuationIdentity>? all))
        {
            all = ContinuationIdentity.Compute(owner, Rename);
            _identities.Add(owner, all);
        }

        return all[generated];
    }

    private bool IsInside(Type owner) => owner == From || (owner.DeclaringType is { } outer && IsInside(outer));

    // Whole names only: Bank is no part of BankBase or Bank.Account. A local's name stands behind an L at the beginning of its line.
    private string Rename(string text) => Regex.Replace(
        text, $@"(?:(?<![\w.+`])|(?<=^L)){Regex.Escape(NameOf(From))}(?![\w`])", NameOf(To).Replace("$", "$$", StringComparison.Ordinal),
        RegexOptions.CultureInvariant | RegexOptions.Multiline);

    private static string NameOf(Type type) => MethodFingerprint.Name(type, "");
}
