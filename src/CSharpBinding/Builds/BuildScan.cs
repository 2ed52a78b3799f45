using System.Buffers;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using Ambrosia.Protocol;

namespace Ambrosia.Builds;

/// <summary>Finds out what the build is that runs.</summary>
internal static class BuildScan
{
    private static readonly ConditionalWeakTable<Type, BuildManifest> s_known = [];

    /// <summary>The build of an immortal's class: its handlers, the code that they reach, the types that they take.</summary>
    /// <param name="immortal">The class.</param>
    /// <param name="contract">What it offers; asked for once.</param>
    public static BuildManifest Of(Type immortal, Func<ImmortalContract> contract) =>
        s_known.GetValue(immortal, type => Scan(type, contract()));

    /// <summary>What a checkpoint of the same modules says need not be found out again.</summary>
    public static void Remember(Type immortal, BuildManifest manifest) => s_known.TryAdd(immortal, manifest);

    /// <summary>Hash of the versions of the application's modules, and of the packages that it refers to.</summary>
    public static string ModulesOf(Type immortal) => CodeReach.HashOf(string.Join('\n',
        OwnAssemblies.Of(immortal).Select(ModuleOf).Concat(OwnAssemblies.PackagesOf(immortal).Select(static package => $"{package}")
            .Order(StringComparer.Ordinal))));

    private static string ModuleOf(Assembly assembly) => string.Join(
        ' ', BeyondCode.SatellitesOf(assembly).Prepend($"{assembly.GetName().Name} {assembly.ManifestModule.ModuleVersionId:N}"));

    private static BuildManifest Scan(Type type, ImmortalContract contract)
    {
        IReadOnlyList<Assembly> own = OwnAssemblies.Of(type);
        var code = new CodeReach(own);
        var types = new WireTypes(own);
        var methods = new Dictionary<int, BuildMethod>();
        foreach (ImmortalMethod method in contract.Methods)
        {
            MethodInfo? handler = HandlerOf(type, method);
            var names = new SortedSet<string>(StringComparer.Ordinal);
            foreach (ParameterInfo parameter in handler?.GetParameters() ?? [])
            {
                types.Add(parameter.ParameterType, names);
            }

            methods[method.Id] = Describe(code, method.Id, method.Name, method.Signature, handler, types, names);
        }

        MethodInfo? first = type.GetMethod("OnFirstStart", BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public, []);
        methods[ReservedMethods.OnFirstStart] = Describe(code, ReservedMethods.OnFirstStart, "OnFirstStart", "OnFirstStart() -> void",
            first, types, []);
        AddOwnFormat(type, own, code, types);
        foreach (Type named in own.SelectMany(OwnCode.TypesOf).Where(static named => named.IsEnum))
        {
            types.AddEnum(named);
        }

        types.Found[BuildType.Packages] = new BuildType(BuildTypeKind.Packages, OwnAssemblies.PackagesOf(type));
        return new BuildManifest(HashOf(methods, types.Found, StateShape.Of(type, own)), ModulesOf(type), methods, types.Found);
    }

    private static BuildMethod Describe(CodeReach code, int id, string name, string signature, MethodInfo? handler,
        WireTypes types, SortedSet<string> names)
    {
        try
        {
            if (handler is null)
            {
                return new BuildMethod(id, name, signature, "", false, [.. names]);
            }

            (string hash, bool awaits, IReadOnlyCollection<Type> results) = code.Of([handler, .. types.SettersOf(names)]);
            foreach (Type result in results)
            {
                types.Add(result, names);
            }

            return new BuildMethod(id, name, signature, hash, awaits, [.. names]);
        }
        catch (Exception error) when (error is IOException or TypeLoadException or MissingMemberException
            or NotSupportedException or BadImageFormatException or ArgumentException)
        {
            // Something that it refers to is not deployed: its code cannot be compared.
            return new BuildMethod(id, name, signature, "", false, [.. names]);
        }
    }

    // Either half tells of the bytes: what one wrote must be what the other reads.
    private static void AddOwnFormat(Type type, IReadOnlyList<Assembly> own, CodeReach code, WireTypes types)
    {
        string saves = Overridden("OnSave", typeof(IBufferWriter<byte>));
        string restores = Overridden("OnRestore", typeof(ReadOnlySequence<byte>));
        if (saves.Length + restores.Length > 0)
        {
            types.Found[BuildType.OwnFormat] = new BuildType(BuildTypeKind.Code,
                new Dictionary<string, string> { ["OnSave"] = saves, ["OnRestore"] = restores });
        }

        string Overridden(string name, Type bytes) =>
            type.GetMethod(name, BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public, [bytes]) is { } method
                && own.Contains(method.DeclaringType!.Assembly)
                ? Describe(code, 0, name, name, method, types, []).Code is { Length: > 0 } hash ? hash : $"{type.Module.ModuleVersionId:N}"
                : "";
    }

    private static MethodInfo? HandlerOf(Type type, ImmortalMethod method) => Array.Find(
        type.GetMethods(BindingFlags.Instance | BindingFlags.Public),
        candidate => candidate.Name == method.Name && method.Signature.StartsWith(CallOf(candidate) + " -> ", StringComparison.Ordinal));

    private static string CallOf(MethodInfo method) =>
        $"{method.Name}({string.Join(',', method.GetParameters().Select(static parameter => WireTypes.NameOf(parameter.ParameterType)))})";

    private static string HashOf(Dictionary<int, BuildMethod> methods, Dictionary<string, BuildType> types, string state)
    {
        var text = new StringBuilder(state).Append('\n');
        foreach (BuildMethod method in methods.Values.OrderBy(static method => method.Id))
        {
            text.Append(null, $"{method.Id} {method.Signature} {method.Code}\n");
        }

        foreach ((string name, BuildType type) in types.OrderBy(static pair => pair.Key, StringComparer.Ordinal))
        {
            text.Append(null, $"{name} {type.Kind}\n");
            foreach ((string member, string value) in type.Members.OrderBy(static pair => pair.Key, StringComparer.Ordinal))
            {
                text.Append(null, $"  {member} {value}\n");
            }
        }

        return CodeReach.HashOf(text.ToString());
    }
}
