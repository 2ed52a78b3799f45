using System.Collections;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;

namespace Ambrosia.Runtime;

/// <summary>
/// Reads the names that the C# compiler gives to what it generates. They contain the ordinal of the method in its class, which
/// changes whenever a member is added or moved: <see cref="Normalize"/> takes it out.
/// </summary>
internal static partial class GeneratedName
{
    public static bool IsGenerated(MemberInfo member) => member.Name.Contains('<', StringComparison.Ordinal);

    public static GeneratedKind KindOf(Type type)
    {
        if (!type.IsNested || !IsGenerated(type))
        {
            return GeneratedKind.None;
        }
        if (typeof(IAsyncStateMachine).IsAssignableFrom(type) || typeof(IEnumerator).IsAssignableFrom(type))
        {
            return GeneratedKind.StateMachine;
        }
        return type.Name == "<>c" || type.Name.StartsWith("<>c__", StringComparison.Ordinal)
            || type.Name.StartsWith("<>c`", StringComparison.Ordinal)
            ? GeneratedKind.Closure
            : GeneratedKind.None;
    }

    public static bool IsAnonymous(Type type) => type.Name.StartsWith("<>f__AnonymousType", StringComparison.Ordinal);

    /// <summary>
    /// The source method that a generated type or method belongs to: "Deposit" for <c>&lt;Deposit&gt;d__7</c> and
    /// <c>&lt;&lt;Deposit&gt;b__0&gt;d</c>; "" for a display class.
    /// </summary>
    public static string MethodOf(string name)
    {
        Match match = InnermostName().Match(name);
        return match.Success ? match.Groups[1].Value : "";
    }

    /// <summary>The name of a field as its author knows it, with what it is: "local 'acc'", "parameter 'x'", "field 'total'".</summary>
    public static string DescribeField(FieldInfo field)
    {
        bool inMachine = field.DeclaringType is { } owner && KindOf(owner) != GeneratedKind.None;
        string name = field.Name;
        if (name.StartsWith("<>4__this", StringComparison.Ordinal))
        {
            return "'this'";
        }
        Match hoisted = HoistedLocal().Match(name);
        if (hoisted.Success)
        {
            return hoisted.Groups[2].Value == "k__BackingField" ? $"property '{hoisted.Groups[1].Value}'"
                : $"local '{hoisted.Groups[1].Value}'";
        }
        if (name.StartsWith("<>", StringComparison.Ordinal))
        {
            return "a value kept over an await";
        }
        return inMachine ? $"local '{name}'" : $"field '{name}'";
    }

    /// <summary>The name without ordinals, and with &lt;M&gt; for the method it belongs to if that is <paramref name="method"/>.</summary>
    public static string Normalize(string name, string method)
    {
        if (!name.Contains('<', StringComparison.Ordinal))
        {
            return name;
        }
        name = Ordinals().Replace(name, "$1");
        name = CachedDelegate().Replace(name, "<>O<>__");
        return method.Length > 0 ? name.Replace($"<{method}>", "<M>", StringComparison.Ordinal) : name;
    }

    [GeneratedRegex(@"<([^<>]+)>")]
    private static partial Regex InnermostName();

    [GeneratedRegex(@"^<([^<>]+)>(\w*)")]
    private static partial Regex HoistedLocal();

    [GeneratedRegex(@"(d__|b__|DisplayClass|<>9__|g__[^|]*\||AnonymousType|AnonymousDelegate)\d+(?:_\d+)?")]
    private static partial Regex Ordinals();

    [GeneratedRegex(@"<>O|<\d+>__")]
    private static partial Regex CachedDelegate();
}
