using System.Reflection;
using Ambrosia.Runtime;

namespace Ambrosia.Builds;

/// <summary>Gathers what a saved state holds and the present classes have no place for, while it is read.</summary>
internal sealed class StateLosses
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private readonly SortedSet<string> _lost = new(StringComparer.Ordinal);
    private readonly HashSet<Type> _enums = [];

    /// <summary>One sentence for each field that has no place.</summary>
    public IEnumerable<string> Fields => _lost;

    /// <summary>Enums of the application that the state holds values of.</summary>
    public IEnumerable<Type> Enums => _enums;

    /// <summary>Names of schedules that the state holds, with the methods that they call.</summary>
    public List<(string Schedule, int Method)> Calls { get; } = [];

    /// <summary>A type of the saved state has been found in this build.</summary>
    public void Found(SavedType saved)
    {
        Type type = saved.Resolved!;
        if (type.IsEnum)
        {
            _enums.Add(type);
            return;
        }

        foreach (SavedField field in saved.Unplaced)
        {
            if (!Levels(type).Any(level => level.GetCustomAttributes<RemovedAttribute>(inherit: false)
                .Any(removed => removed.Name == field.Name)))
            {
                _lost.Add(Describe(type, field, saved));
            }
        }
    }

    private static string Describe(Type type, SavedField field, SavedType saved)
    {
        string name = $"{TypeNames.Display(type)}.{field.Name} ({field.Wire.Description})";
        string givenUp = $"[Removed(\"{field.Name}\")]";
        if (IsLeftOut(type, field.Name))
        {
            return $"{name} is [NotSaved] now. Given up: {givenUp} on its class";
        }

        string[] candidates =
        [
            .. FieldSet.Of(type).Fields
                .Where(present => present.Codec.Accepts(field.Wire) && !saved.Fields.Any(known => known.Name == present.Name))
                .Select(static present => $"{present.Name} ({TypeNames.Display(present.Field.FieldType)})"),
        ];
        string hint = candidates.Length == 0 ? "" : $"; new: {string.Join(", ", candidates)}";
        return $"{name} has no field{hint}. Renamed: [DataMember(Name = \"{field.Name}\")]; given up: {givenUp} on its class";
    }

    private static bool IsLeftOut(Type type, string name) => Levels(type).SelectMany(static level => level.GetMembers(Declared))
        .Any(member => (member.Name == name || member.Name == $"<{name}>k__BackingField")
            && member.IsDefined(typeof(NotSavedAttribute), inherit: false));

    private static IEnumerable<Type> Levels(Type type)
    {
        for (Type? level = type; level is not null && level != typeof(object); level = level.BaseType)
        {
            yield return level;
        }
    }
}
