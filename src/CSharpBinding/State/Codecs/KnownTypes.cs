using System.Globalization;
using System.Reflection;
using System.Text;

namespace Ambrosia.Runtime;

/// <summary>The classes of .NET that can be state, each saved through its public API; all others are refused, since their fields are .NET's own business.</summary>
internal static class KnownTypes
{
    private static readonly Dictionary<Type, ObjectPlan> s_texts = new()
    {
        [typeof(Version)] = new TextPlan<Version>(typeof(Version), static version => version.ToString(), Version.Parse),
        [typeof(Uri)] = new TextPlan<Uri>(typeof(Uri), static uri => uri.OriginalString, static text => new Uri(text, UriKind.RelativeOrAbsolute)),
        [typeof(StringBuilder)] = new TextPlan<StringBuilder>(typeof(StringBuilder), static text => text.ToString(), static text => new StringBuilder(text)),
        [typeof(CultureInfo)] = new TextPlan<CultureInfo>(typeof(CultureInfo), static culture => culture.Name, CultureInfo.GetCultureInfo),
        [typeof(StringComparer)] = new TextPlan<StringComparer>(typeof(StringComparer), NameOf, ComparerOf),
        [typeof(Type)] = new TypeObjectPlan(typeof(Type)),
    };

    /// <summary>The plan of a known class, or null.</summary>
    public static ObjectPlan? PlanOf(Type type)
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

    /// <summary>True for structs of .NET whose fields are public.</summary>
    public static bool IsFieldwiseStruct(Type type) =>
        type.IsValueType && type.FullName is { } name && name.StartsWith("System.ValueTuple", StringComparison.Ordinal);

    /// <summary>True for classes of .NET without any state, from which others may derive.</summary>
    public static bool IsFieldless(Type type)
    {
        for (Type? level = type; level is not null && level != typeof(object); level = level.BaseType)
        {
            if (level.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly).Length > 0)
            {
                return false;
            }
        }
        return true;
    }

    /// <summary>True for what .NET's own exceptions may carry along.</summary>
    public static bool IsPlain(Type type) => type == typeof(string) || type.IsEnum || type == typeof(Exception) || type == typeof(Exception[])
        || (type.IsValueType && type != typeof(CancellationToken) && TypeNames.TryGetPrimitive(type, out _));

    /// <summary>True for values that are complete by themselves, so that they have their hash code before anything else is read.</summary>
    public static bool IsLeaf(Type type) => type == typeof(string) || type.IsEnum || (type.IsValueType && TypeNames.TryGetPrimitive(type, out _))
        || (Nullable.GetUnderlyingType(type) is { } inner && IsLeaf(inner))
        || (IsFieldwiseStruct(type) && Array.TrueForAll(type.GetGenericArguments(), IsLeaf));

    /// <summary>What to use instead of a class that cannot be state.</summary>
    public static string Advice(Type type)
    {
        string name = type.FullName ?? type.Name;
        return type switch
        {
            _ when typeof(Stream).IsAssignableFrom(type) || typeof(TextReader).IsAssignableFrom(type) || typeof(TextWriter).IsAssignableFrom(type) =>
                "keep it inside a method that does not await, or keep its content instead.",
            _ when typeof(Task).IsAssignableFrom(type) || name.StartsWith("System.Threading.Tasks.", StringComparison.Ordinal) =>
                "use a DurableTask.",
            _ when type == typeof(CancellationTokenSource) || type == typeof(CancellationTokenRegistration) => "use a DurableCancellation.",
            _ when typeof(Random).IsAssignableFrom(type) => "use the immortal's Random, which is the same on every replica.",
            _ when name.Contains("+Enumerator", StringComparison.Ordinal) || name.StartsWith("System.Linq.", StringComparison.Ordinal) || typeof(System.Collections.IEnumerator).IsAssignableFrom(type) =>
                "enumerate an array, a DurableList or a DurableDictionary where the loop awaits.",
            _ when name.StartsWith("System.Threading.", StringComparison.Ordinal) => "an immortal runs one turn at a time and needs no threads, locks or timers.",
            _ => "keep what it stands for in fields of your own types, or mark the field [NotSaved].",
        };
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
