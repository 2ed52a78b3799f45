using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;
using MessagePack;

namespace Ambrosia.Builds;

/// <summary>Describes the types that arguments consist of, as far as the bytes of a message depend on them.</summary>
/// <param name="own">The application's assemblies.</param>
internal sealed class WireTypes(IReadOnlyList<Assembly> own)
{
    private const BindingFlags Public = BindingFlags.Instance | BindingFlags.Public | BindingFlags.DeclaredOnly;

    private readonly HashSet<Type> _path = [];
    private readonly Dictionary<string, Type> _described = [];

    /// <summary>All that were described, by their names.</summary>
    public Dictionary<string, BuildType> Found { get; } = [];

    /// <summary>A type's name as contracts write it.</summary>
    public static string NameOf(Type type)
    {
        if (type.IsArray)
        {
            return $"{NameOf(type.GetElementType()!)}[{new string(',', type.GetArrayRank() - 1)}]";
        }

        string name = (type.IsGenericType ? type.GetGenericTypeDefinition() : type).FullName ?? type.Name;
        return type.IsGenericType ? $"{name}<{string.Join(',', type.GetGenericArguments().Select(NameOf))}>" : name;
    }

    /// <summary>An enum's name; in a generic class it is one, whatever the class's arguments are.</summary>
    public static string NameOfEnum(Type type) => type.IsGenericType ? type.GetGenericTypeDefinition().FullName ?? type.Name : NameOf(type);

    /// <summary>Describes an enum of the application.</summary>
    public void AddEnum(Type type) => Found.TryAdd(NameOfEnum(type), new BuildType(BuildTypeKind.Enum, NumbersOf(type)));

    /// <summary>Describes a type and all that it consists of; their names go to <paramref name="names"/>.</summary>
    public void Add(Type type, SortedSet<string> names)
    {
        if (type.HasElementType)
        {
            Add(type.GetElementType()!, names);
            return;
        }

        foreach (Type argument in type.GetGenericArguments())
        {
            Add(argument, names);
        }

        // A generic type may be declared by itself with ever longer arguments.
        Type definition = type.IsGenericType ? type.GetGenericTypeDefinition() : type;
        if (!own.Contains(type.Assembly) || _path.Contains(definition) || !names.Add(type.IsEnum ? NameOfEnum(type) : NameOf(type)))
        {
            return;
        }

        if (type.IsEnum)
        {
            AddEnum(type);
            return;
        }

        _described[NameOf(type)] = definition;
        (int Tag, Type Type)[] cases = [.. CasesOf(type)];
        _path.Add(definition);
        foreach (Type next in cases.Length > 0 ? cases.Select(static item => item.Type) : MembersOf(type)
            .Select(static member => member.Type))
        {
            Add(next, names);
        }

        _path.Remove(definition);
        Found.TryAdd(NameOf(type), cases.Length > 0
            ? new BuildType(BuildTypeKind.Union, cases.ToDictionary(static item => $"{item.Tag}", static item => NameOf(item.Type)))
            : new BuildType(BuildTypeKind.Object, ObjectOf(type)));
    }

    /// <summary>What makes values of these types from what was sent, where it is written by hand: constructors, setters.</summary>
    public IEnumerable<MethodBase> SettersOf(IEnumerable<string> names) => names
        .Select(name => _described.GetValueOrDefault(name)).OfType<Type>().Distinct().SelectMany(static type =>
            type.GetConstructors().Where(static made => !PlainConstructor.Is(made)).Concat<MethodBase>(MembersOf(type)
                .Select(static member => (member.Member as PropertyInfo)?.SetMethod).OfType<MethodInfo>()
                .Where(static setter => !setter.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false))));

    // Ours, or those of MessagePack-CSharp, which writes the type then.
    private static IEnumerable<(int Tag, Type Type)> CasesOf(Type type)
    {
        IEnumerable<(int Tag, Type Type)> own = type.GetCustomAttributes<UnionAttribute>(inherit: false)
            .Select(static item => (item.Tag, item.Type));
        return own.Any() ? own : type.GetCustomAttributes<MessagePack.UnionAttribute>(inherit: false)
            .Select(static item => (item.Key, item.SubType));
    }

    private static Dictionary<string, string> NumbersOf(Type type) => type.GetFields(BindingFlags.Public | BindingFlags.Static)
        .ToDictionary(static field => field.Name, static field => $"{Convert.ToString(field.GetRawConstantValue(), null)}");

    private static Dictionary<string, string> ObjectOf(Type type)
    {
        ConstructorInfo[] constructors = [.. type.GetConstructors()
            .OrderByDescending(static constructor => constructor.GetParameters().Length)];
        // As the generator chooses: records take their longest constructor, other types none with parameters if they can.
        bool plain = Array.Exists(constructors, static constructor => constructor.GetParameters().Length == 0) || type.IsValueType;
        bool isRecord = type.GetMethod("<Clone>$") is not null;
        ParameterInfo[] parameters = plain && !isRecord ? [] : constructors.FirstOrDefault()?.GetParameters() ?? [];
        var members = new Dictionary<string, string>();
        foreach ((MemberInfo member, Type memberType) in MembersOf(type))
        {
            DataMemberAttribute? data = member.GetCustomAttribute<DataMemberAttribute>();
            bool needed = member.IsDefined(typeof(System.Runtime.CompilerServices.RequiredMemberAttribute), inherit: false)
                || Array.Exists(parameters, parameter => !parameter.HasDefaultValue
                    && string.Equals(parameter.Name, member.Name, StringComparison.OrdinalIgnoreCase));
            if (type.IsDefined(typeof(MessagePackObjectAttribute), inherit: false))
            {
                // The library fills what is missing with defaults.
                members[KeyOf(member)] = NameOf(memberType);
                continue;
            }

            string key = data is { Order: >= 0 } ? $"[{data.Order}] {member.Name}" : data?.Name ?? member.Name;
            members[key] = NameOf(memberType) + (needed ? BuildType.Needed : "");
        }

        return members;
    }

    private static string KeyOf(MemberInfo member) =>
        member.GetCustomAttribute<KeyAttribute>() is { } key ? key.StringKey ?? $"[{key.IntKey}] {member.Name}" : member.Name;

    // Computed from others, it does not travel, as the generator sees it.
    private static bool IsComputed(PropertyInfo property, Type type) => property.SetMethod is null && BackingOf(property) is null
        && !type.GetConstructors().SelectMany(static constructor => constructor.GetParameters()).Any(parameter =>
            parameter.ParameterType == property.PropertyType
            && string.Equals(parameter.Name, property.Name, StringComparison.OrdinalIgnoreCase));

    private static FieldInfo? BackingOf(PropertyInfo property) => property.DeclaringType!.GetField(
        $"<{property.Name}>k__BackingField", BindingFlags.Instance | BindingFlags.NonPublic);

    private static IEnumerable<(MemberInfo Member, Type Type)> MembersOf(Type type)
    {
        bool isLibrarys = type.IsDefined(typeof(MessagePackObjectAttribute), inherit: false);
        bool chosen = type.IsDefined(typeof(DataContractAttribute), inherit: false);
        var seen = new HashSet<string>();
        for (Type? level = type; level is not null && level != typeof(object) && level != typeof(ValueType); level = level.BaseType)
        {
            foreach (MemberInfo member in level.GetMembers(Public))
            {
                Type? of = member switch
                {
                    PropertyInfo { GetMethod.IsPublic: true } property when property.GetIndexParameters().Length == 0
                        && !IsComputed(property, type) => property.PropertyType,
                    FieldInfo field => field.FieldType,
                    _ => null,
                };
                if (of is not null && !member.IsDefined(typeof(IgnoreDataMemberAttribute), inherit: false)
                    && !(isLibrarys && member.IsDefined(typeof(IgnoreMemberAttribute), inherit: false))
                    && (!chosen || member.IsDefined(typeof(DataMemberAttribute), inherit: false)) && seen.Add(member.Name))
                {
                    yield return (member, of);
                }
            }
        }
    }
}
