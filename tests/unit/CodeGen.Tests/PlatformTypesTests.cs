using System.Reflection;
using Ambrosia.CodeGen.Tests.Support;
using Ambrosia.Runtime;

namespace Ambrosia.CodeGen.Tests;

/// <summary>The compiler's list of .NET's types that can be saved is the runtime's: every public type of the usual assemblies is asked
/// about.</summary>
public sealed class PlatformTypesTests
{
    // Refused at compile time although the runtime has a form for them: delegates hold code, and a token is cancelled in its own process
    // only.
    private static readonly Type[] s_stricter = [typeof(Delegate), typeof(CancellationToken)];

    private static readonly Assembly[] s_assemblies =
    [
        typeof(object).Assembly, typeof(SortedSet<int>).Assembly, typeof(System.Collections.Concurrent.ConcurrentBag<int>).Assembly,
        typeof(System.Collections.Immutable.ImmutableList).Assembly, typeof(System.Text.Json.JsonDocument).Assembly,
        typeof(System.Text.RegularExpressions.Regex).Assembly, typeof(HttpClient).Assembly,
        typeof(System.Threading.Channels.Channel).Assembly,
        typeof(System.Net.Sockets.Socket).Assembly, typeof(System.Numerics.BigInteger).Assembly, typeof(System.Data.DataTable).Assembly,
        typeof(System.Collections.ObjectModel.ObservableCollection<int>).Assembly, typeof(Uri).Assembly,
    ];

    [Fact]
    public async Task Compiler_and_runtime_refuse_the_same_types()
    {
        (Type Type, string Name)[] types = [.. s_assemblies.Distinct().SelectMany(static a => a.GetExportedTypes()).Select(Closed)
            .OfType<Type>()
            .Select(static t => (t, Name(t))).DistinctBy(static t => t.Item2).OrderBy(static t => t.Item2, StringComparer.Ordinal)];
        string fields = string.Concat(types.Select(static (t, i) => $"    private global::{t.Name}? _f{i};\n"));
        string[] said = await Analysis.RulesAsync([$"public abstract class Shop : Immortal\n{{\n{fields}}}"]);
        Assert.DoesNotContain(said, static l => !l.StartsWith("AMB107", StringComparison.Ordinal));
        HashSet<int> refused = [.. said.Select(static l =>
            int.Parse(l.Split("Shop._f")[1].Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture))];

        string[] falseAlarms = [.. types.Where((t, i) =>
            refused.Contains(i) && CanBeSaved(t.Type) && !s_stricter.Any(s => s.IsAssignableFrom(t.Type))).Select(static t => t.Name)];
        string[] missed = [.. types.Where((t, i) => !refused.Contains(i) && !CanBeSaved(t.Type)).Select(static t => t.Name)];
        Assert.True(falseAlarms.Length + missed.Length == 0,
            $"false alarms: {string.Join(", ", falseAlarms)}; missed: {string.Join(", ", missed)}");
        Assert.InRange(refused.Count, 500, types.Length - 100);
    }

    private static bool CanBeSaved(Type type)
    {
        try
        {
            _ = type.IsValueType || type == typeof(string) ? (object)Codecs.Of(type) : Plans.Of(type);
            return true;
        }
        catch (Exception e) when (e is UnsavableTypeException || e.InnerException is UnsavableTypeException)
        {
            return false;
        }
    }

    // Of an abstract class another may be saved; exceptions are saved with what .NET's own fields allow.
    private static Type? Closed(Type type)
    {
        bool isAsked = (type.IsClass || type.IsValueType) && !type.IsAbstract && !type.IsByRefLike && type != typeof(void)
            && type != typeof(Nullable<>) && !typeof(Exception).IsAssignableFrom(type)
            && type.GetCustomAttribute<ObsoleteAttribute>() is null;
        try
        {
            return !isAsked ? null : type.IsGenericTypeDefinition
                ? type.MakeGenericType([.. type.GetGenericArguments().Select(static _ => typeof(int))]) : type;
        }
        catch (ArgumentException)
        {
            return null; // A number does not fit there.
        }
    }

    private static string Name(Type type)
    {
        string[] parts = type.ToString().Split('[')[0].Split('+');
        Queue<string> arguments = new(type.GetGenericArguments().Select(static _ => "int"));
        return string.Join(".", parts.Select(part =>
        {
            string[] named = part.Split('`');
            if (named.Length == 1)
            {
                return part;
            }

int count = int.Parse(named[1], System.Globalization.CultureInfo.InvariantCulture);
return $"{named[0]}<{string.Join(", ", Enumerable.Range(0, count).Select(_ => arguments.Dequeue()))}>";
        }));
    }
}
