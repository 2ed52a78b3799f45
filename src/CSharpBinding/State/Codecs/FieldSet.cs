using System.Collections.Concurrent;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;

namespace Ambrosia.Runtime;

/// <summary>
/// The fields of a class or struct that are state: every instance field, base classes first, in the order of declaration, without those
/// marked [NotSaved]. A field is known by its name (of an automatic property: the property's; [DataMember(Name)] keeps an old one),
/// qualified by its class where a base class has one of the same name.
/// </summary>
internal sealed class FieldSet
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private static readonly ConcurrentDictionary<Type, FieldSet> s_sets = new();

    private FieldSet(Type type, List<FieldPlan> fields, bool hasUnsaved)
    {
        Type = type;
        Fields = fields;
        HasUnsaved = hasUnsaved;
    }

    public Type Type { get; }

    public IReadOnlyList<FieldPlan> Fields { get; }

    /// <summary>True if some field is [NotSaved].</summary>
    public bool HasUnsaved { get; }

    /// <exception cref="UnsavableTypeException">A field's type, or a base class, cannot be saved.</exception>
    public static FieldSet Of(Type type)
    {
        if (s_sets.TryGetValue(type, out FieldSet? known))
        {
            return known;
        }
        // A type that cannot be saved is not remembered: the exception names the way to it, which differs.
        RuntimeHelpers.EnsureSufficientExecutionStack();
        return s_sets.GetOrAdd(type, Build(type));
    }

    /// <summary>Whether a field, or the automatic property that it is of, is marked [NotSaved].</summary>
    public static bool IsNotSaved(FieldInfo field) => field.IsDefined(typeof(NotSavedAttribute), inherit: false)
        || (PropertyOf(field)?.IsDefined(typeof(NotSavedAttribute), inherit: false) ?? false);

    public void WriteSchema(WriteSession session)
    {
        session.WriteVarint((ulong)Fields.Count);
        foreach (FieldPlan field in Fields)
        {
            session.WriteText(field.Name);
            field.Codec.WriteWire(session);
        }
    }

    public void WriteByReflection(WriteSession session, object target)
    {
        foreach (FieldPlan field in Fields)
        {
            field.Codec.WriteBoxed(session, field.Field.GetValue(target));
        }
    }

    public void ReadByReflection(ReadSession session, object target)
    {
        foreach (FieldPlan field in Fields)
        {
            field.Field.SetValue(target, field.Codec.ReadBoxed(session));
        }
    }

    /// <summary>Maps the saved fields to the present ones; a field of another type is a reason to refuse.</summary>
    public string? Match(SavedType saved)
    {
        FieldPlan?[] map = new FieldPlan?[saved.Fields.Count];
        bool identical = saved.Fields.Count == Fields.Count;
        for (int i = 0; i < map.Length; i++)
        {
            SavedField savedField = saved.Fields[i];
            FieldPlan? present = PlaceOf(savedField.Name, saved);
            if (present is not null && TwinOf(present, saved) is { } twin)
            {
                return $"its field '{present.Name}' was saved when one class had a field of that name, and now "
                    + $"{present.Field.DeclaringType!.Name} and {twin.Field.DeclaringType!.Name} both have one: give the new one "
                    + $"another name";
            }

            if (present is not null && !present.Codec.Accepts(savedField.Wire))
            {
                return $"its field '{present.Name}' was saved as {savedField.Wire.Description} and is now "
                    + $"{TypeNames.Display(present.Field.FieldType)}";
            }
            map[i] = present;
            identical = identical && ReferenceEquals(present, Fields[i]);
        }
        saved.MapFields(map, identical);
        return null;
    }

    private static string QualifiedName(FieldPlan field) => $"{field.Field.DeclaringType!.Name}.{field.Name}";

    // While a class and its base had fields of one name, the base's was saved with its class. It keeps that name when the other one is
    // gone.
    private FieldPlan? PlaceOf(string name, SavedType saved)
    {
        FieldPlan? present = Fields.FirstOrDefault(field => field.Name == name);
        return present is null ? Fields.FirstOrDefault(field => QualifiedName(field) == name)
            : saved.Fields.Any(other => other.Name == QualifiedName(present)) ? null : present;
    }

    // Of two fields that have one name now, the saved one may have been either.
    private FieldPlan? TwinOf(FieldPlan present, SavedType saved) => Fields.FirstOrDefault(field => field != present
        && field.Name == $"{field.Field.DeclaringType!.Name}.{present.Name}" && !saved.Fields.Any(other => other.Name == field.Name));

    private static FieldSet Build(Type type)
    {
        List<(FieldInfo Field, string Name)> found = [];
        bool hasUnsaved = false;
        foreach (Type level in Hierarchy(type))
        {
            foreach (FieldInfo field in level.GetFields(Declared).OrderBy(field => field.MetadataToken))
            {
                MemberInfo[] members = PropertyOf(field) is { } property ? [field, property] : [field];
                if (typeof(Exception).IsAssignableFrom(level) && TypeNames.IsFramework(level.Assembly)
                    && !KnownTypes.IsPlain(field.FieldType))
                {
                    continue; // Details of .NET's own exceptions that only debuggers show, such as caches and handles.
                }
                if (IsNotSaved(field))
                {
                    hasUnsaved = true;
                }
                else
                {
                    string? name = members.Select(static member => member.GetCustomAttribute<DataMemberAttribute>()?.Name)
                        .FirstOrDefault(static name => name is not null);
                    found.Add((field, name ?? members[^1].Name));
                }
            }
        }
        List<FieldPlan> fields = [];
        foreach ((FieldInfo field, string name) in found)
        {
            bool unique = found.FindLast(other => other.Name == name).Field == field;
            fields.Add(new FieldPlan(unique ? name : $"{field.DeclaringType!.Name}.{name}", field, CodecOf(field)));
        }
        return new FieldSet(type, fields, hasUnsaved);
    }

    private static Codec CodecOf(FieldInfo field)
    {
        try
        {
            return Codecs.Of(field.FieldType);
        }
        catch (UnsavableTypeException e) when (e.Path is null)
        {
            throw new UnsavableTypeException(e.Type, e.Advice, StatePath.Of(field));
        }
    }

    private static List<Type> Hierarchy(Type type)
    {
        List<Type> levels = [];
        for (Type? level = type; level is not null && level != typeof(object) && level != typeof(ValueType); level = level.BaseType)
        {
            if (TypeNames.IsFramework(level.Assembly) && !KnownTypes.IsFieldwiseStruct(level))
            {
                if (level == typeof(Exception) || KnownTypes.IsFieldless(level))
                {
                    continue; // An exception's own fields are the exception plan's.
                }
                if (!typeof(Exception).IsAssignableFrom(level))
                {
                    throw new UnsavableTypeException(type,
                        $"it derives from {TypeNames.Display(level)}, whose state cannot be read; hold one in a field instead.");
                }
            }
            levels.Insert(0, level);
        }
        return levels;
    }

    private static PropertyInfo? PropertyOf(FieldInfo field)
    {
        const string suffix = ">k__BackingField";
        return field.Name.EndsWith(suffix, StringComparison.Ordinal)
            ? field.DeclaringType!.GetProperty(field.Name[1..^suffix.Length], Declared)
            : null;
    }
}
