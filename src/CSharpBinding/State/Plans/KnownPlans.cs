using System.Globalization;
using System.Reflection;
using System.Text;

namespace Ambrosia.Runtime;

/// <summary>
/// The classes of .NET that can be state, each saved through its public API; all others are refused, since their fields are .NET's own
/// business.
/// </summary>
internal static class KnownPlans
{
    private static readonly Dictionary<Type, ObjectPlan> s_texts = new()
    {
        [typeof(Version)] = new TextPlan<Version>(typeof(Version), static version => version.ToString(), Version.Parse),
        [typeof(Uri)] = new TextPlan<Uri>(typeof(Uri), static uri => uri.OriginalString, static text =>
            new Uri(text, UriKind.RelativeOrAbsolute)),
        [typeof(StringBuilder)] =
            new TextPlan<StringBuilder>(typeof(StringBuilder), static text => text.ToString(), static text => new StringBuilder(text)),
        [typeof(CultureInfo)] = new TextPlan<CultureInfo>(typeof(CultureInfo), static culture => culture.Name, CultureInfo.GetCultureInfo),
        [typeof(StringComparer)] = new TextPlan<StringComparer>(typeof(StringComparer), NameOf, ComparerOf),
        [typeof(Type)] = new TypeObjectPlan(typeof(Type)),
    };

    /// <summary>The plan of a known class, or null.</summary>
    public static ObjectPlan? Of(Type type)
    {
        foreach ((Type known, ObjectPlan plan) in s_texts)
        {
            // .NET hands out derived classes of its own for some of them.
            if (known == type || (known.IsAssignableFrom(type) && TypeNames.IsFramework(type.Assembly)))
            {
                return plan;
            }
        }
        if (type == typeof(PendingCalls))
        {
            return new PendingCallsPlan((Codec<IPendingCall>)Codecs.Of(typeof(IPendingCall)));
        }
        if (type == typeof(System.Collections.BitArray))
        {
            return KnownCollections.BitArray();
        }
        if (!type.IsGenericType)
        {
            return null;
        }
        Type definition = type.GetGenericTypeDefinition();
        if (definition.FullName!.StartsWith("System.Tuple`", StringComparison.Ordinal))
        {
            return new TuplePlan(type, Array.ConvertAll(type.GetGenericArguments(), Codecs.Of));
        }
        return KnownCollections.FactoryOf(definition) is { } factory
            ? (ObjectPlan)Invoke(factory.MakeGenericMethod(type.GetGenericArguments()))
            : null;
    }

    private static object Invoke(MethodInfo factory)
    {
        try
        {
            return factory.Invoke(null, null)!;
        }
        catch (TargetInvocationException e) when (e.InnerException is UnsavableTypeException inner)
        {
            throw new UnsavableTypeException(inner.Type, inner.Advice, inner.Path);
        }
    }

    private static string NameOf(StringComparer comparer) => comparer switch
    {
        _ when comparer.Equals(StringComparer.Ordinal) => nameof(StringComparer.Ordinal),
        _ when comparer.Equals(StringComparer.OrdinalIgnoreCase) => nameof(StringComparer.OrdinalIgnoreCase),
        _ when comparer.Equals(StringComparer.InvariantCulture) => nameof(StringComparer.InvariantCulture),
        _ when comparer.Equals(StringComparer.InvariantCultureIgnoreCase) => nameof(StringComparer.InvariantCultureIgnoreCase),
        _ => throw new UnsavableTypeException(typeof(StringComparer), "use an ordinal or invariant one: others depend on the machine."),
    };

    private static StringComparer ComparerOf(string name) => name switch
    {
        nameof(StringComparer.Ordinal) => StringComparer.Ordinal,
        nameof(StringComparer.OrdinalIgnoreCase) => StringComparer.OrdinalIgnoreCase,
        nameof(StringComparer.InvariantCulture) => StringComparer.InvariantCulture,
        nameof(StringComparer.InvariantCultureIgnoreCase) => StringComparer.InvariantCultureIgnoreCase,
        _ => throw new FormatException("Unknown comparer."),
    };
}
