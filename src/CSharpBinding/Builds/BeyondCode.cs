using System.Reflection;
using System.Resources;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using Ambrosia.Runtime;

namespace Ambrosia.Builds;

/// <summary>
/// What the code of a handler does depends on and its instructions do not say: texts in resources, what .NET reads of a type by reflection,
/// numbers and limits that the generator takes from attributes, whether a class compares by value.
/// </summary>
/// <param name="own">The application's assemblies.</param>
internal sealed class BeyondCode(IReadOnlyList<Assembly> own)
{
    // Attributes of interfaces that change what a call does.
    private static readonly Type[] s_ofInterfaces =
        [typeof(MethodIdAttribute), typeof(EncodingAttribute), typeof(EffectInterfaceAttribute), typeof(OneAtATimeAttribute)];

    private readonly Lazy<string> _resources = new(() => "resources " + CodeReach.HashOf(string.Join('\n', own.SelectMany(ResourcesOf))));

    /// <summary>Facts that count wherever a type of the application is used.</summary>
    public static IEnumerable<string> OfType(Type type) =>
        IsRecord(type) ? [$"compares by value {MethodFingerprint.Name(type, "")}"] : [];

    /// <summary>Facts that count for a call.</summary>
    /// <param name="method">The method that is called.</param>
    /// <param name="declaring">The type that declares it.</param>
    public IEnumerable<string> OfCall(MethodBase method, Type declaring)
    {
        if (typeof(ResourceManager).IsAssignableFrom(declaring)
            || (typeof(Assembly).IsAssignableFrom(declaring) && method.Name == nameof(Assembly.GetManifestResourceStream)))
        {
            return [_resources.Value];
        }

        if (own.Contains(declaring.Assembly))
        {
            return OfGenerated(method, declaring);
        }

        return MembersReadBy(method, declaring).Select(static member => $"member {MethodFingerprint.Name(member.DeclaringType!, "")}."
            + $"{member.Name} {MethodFingerprint.Name(TypeOf(member)!, "")} {AttributesOf(member)}");
    }

    /// <summary>Properties whose code .NET calls when it looks into what a method is given.</summary>
    public IEnumerable<MethodInfo> GettersReadBy(MethodBase method, Type declaring) => own.Contains(declaring.Assembly) ? []
        : MembersReadBy(method, declaring).Select(static member => (member as PropertyInfo)?.GetMethod).OfType<MethodInfo>()
            .Where(static getter => !getter.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false));

    private IEnumerable<MemberInfo> MembersReadBy(MethodBase method, Type declaring)
    {
        var seen = new HashSet<Type>();
        return method.IsGenericMethod && LooksInside(method, declaring)
            ? method.GetGenericArguments().SelectMany(argument => MembersOf(argument, seen)) : [];
    }

    private static Type? TypeOf(MemberInfo member) =>
        member is PropertyInfo property ? property.PropertyType : (member as FieldInfo)?.FieldType;

    // A serializer reads the members of what it is given; so does the text of a record.
    private static bool LooksInside(MethodBase method, Type declaring) =>
        declaring.Namespace is { } name && (name.StartsWith("System.Text.Json", StringComparison.Ordinal)
            || name.StartsWith("System.Net.Http.Json", StringComparison.Ordinal)
            || (method.Name == "AppendFormatted" && name == "System.Runtime.CompilerServices")
            || (declaring == typeof(string) && method.Name is nameof(string.Join) or nameof(string.Concat)));

    private IEnumerable<MemberInfo> MembersOf(Type type, HashSet<Type> seen)
    {
        while (type.HasElementType)
        {
            type = type.GetElementType()!;
        }

        Type[] arguments = type.IsGenericType ? type.GetGenericArguments() : [];
        foreach (MemberInfo member in arguments.SelectMany(argument => MembersOf(argument, seen)))
        {
            yield return member;
        }

        if (type.IsEnum || !own.Contains(type.Assembly) || !seen.Add(type))
        {
            yield break;
        }

        foreach (MemberInfo member in type.GetMembers(BindingFlags.Instance | BindingFlags.Public))
        {
            if (TypeOf(member) is { } of)
            {
                yield return member;
                foreach (MemberInfo inner in MembersOf(of, seen))
                {
                    yield return inner;
                }
            }
        }
    }

    private static string AttributesOf(MemberInfo member) => string.Join(' ', member.GetCustomAttributesData()
        .Where(static data => data.AttributeType.Namespace != typeof(CompilerGeneratedAttribute).Namespace)
        .Select(static data => data.ToString()).Order(StringComparer.Ordinal));

    // BankProxy was generated for IBank, and its AddAsync, AddFork and AddImpulse for Add. Where no attribute says anything, names say all.
    private static IEnumerable<string> OfGenerated(MethodBase method, Type declaring)
    {
        if (declaring.GetCustomAttribute<NamedAfterInterfaceAttribute>(inherit: true)?.Ending is not { } ending
            || !declaring.Name.EndsWith(ending, StringComparison.Ordinal)
            || declaring.Assembly.GetType($"{declaring.Namespace}.I{declaring.Name[..^ending.Length]}") is not { } described)
        {
            return [];
        }

        IEnumerable<MemberInfo> members = described.GetMethods()
            .Where(candidate => method.Name.StartsWith(candidate.Name, StringComparison.Ordinal));
        return members.Append(described).SelectMany(member => member.GetCustomAttributesData()
            .Where(static data => s_ofInterfaces.Contains(data.AttributeType)
                && data.ConstructorArguments.Count + data.NamedArguments.Count > 0)
            .Select(data => $"{described.FullName} {member.Name} {data}"));
    }

    private static bool IsRecord(Type type) => type.GetMethod("<Clone>$") is not null;

    private static IEnumerable<string> ResourcesOf(Assembly assembly)
    {
        foreach (string name in assembly.GetManifestResourceNames().Order(StringComparer.Ordinal))
        {
            using Stream? content = assembly.GetManifestResourceStream(name);
            yield return $"{name} {(content is null ? "" : Convert.ToHexString(SHA256.HashData(content)))}";
        }

        foreach (string satellite in SatellitesOf(assembly))
        {
            yield return satellite;
        }
    }

    /// <summary>The texts of other languages, which lie in folders beside an assembly: a name and a digest each.</summary>
    public static IEnumerable<string> SatellitesOf(Assembly assembly)
    {
        string folder = Path.GetDirectoryName(assembly.Location) ?? "";
        string[] languages = folder.Length == 0 ? [] : Directory.GetDirectories(folder);
        foreach (string language in languages.Order(StringComparer.Ordinal))
        {
            string file = Path.Combine(language, $"{assembly.GetName().Name}.resources.dll");
            if (File.Exists(file))
            {
                yield return $"{Path.GetFileName(language)} {Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(file)))}";
            }
        }
    }
}
