using System.Globalization;
using Ambrosia.CodeGen.Diagnostics;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>
/// Reads how a class, struct or record of the user's travels: which members, under which names or positions, and how they are set.
/// </summary>
internal sealed class ObjectExtractor(FormatterResolver resolver)
{
    /// <summary>The formatter to generate, or null if an error was reported.</summary>
    public ObjectModel? Extract(INamedTypeSymbol type, string name, string path)
    {
        if (Refusal(type) is { } refusal)
        {
            resolver.Refuse(path, refusal);
            return null;
        }

        List<ObjectMember> members = MemberFinder.Find(type);
        if (MemberFinder.IsDataContract(type))
        {
            resolver.ReportLost(type);
        }

        string label = TypeText.People(type.WithNullableAnnotation(NullableAnnotation.NotAnnotated));
        if (ConstructorChoice.For(type, members) is not { } constructor)
        {
            resolver.Report(TypeRules.NoConstructor, SourceLocation.Of(type), label);
            return null;
        }

        Dictionary<ObjectMember, int> positions = [];
        foreach (IParameterSymbol parameter in constructor.Parameters)
        {
            positions[ConstructorChoice.Feeding(parameter, members)!] = parameter.Ordinal;
        }

        members.RemoveAll(m => m.IsComputed && !positions.ContainsKey(m));
        if (WireOrder(type, label, members) is not { } order || !AllSettable(label, members, positions))
        {
            return null;
        }

        List<MemberModel> models = [];
        foreach ((ObjectMember member, string key, int index) in order.Members)
        {
            int position = positions.TryGetValue(member, out int found) ? found : -1;
            IParameterSymbol? parameter = position < 0 ? null : constructor.Parameters[position];
            if (Model(member, key, index, parameter, $"{path}, member {label}.{member.Name}") is { } model)
            {
                models.Add(model);
            }
        }

        bool isSealed = type.IsSealed || type.IsValueType;
        return models.Count == order.Members.Count
            ? new ObjectModel(TypeText.CodeNotNull(type), name, label, type.IsReferenceType, isSealed, order.ByPosition,
                models.ToEquatableArray())
            : null;
    }

    private static string? Refusal(INamedTypeSymbol type)
    {
        string name = TypeText.People(type.WithNullableAnnotation(NullableAnnotation.NotAnnotated));
        if (type.TypeKind == TypeKind.Interface || type.IsAbstract)
        {
            return $"{name} is {(type.TypeKind == TypeKind.Interface ? "an interface" : "abstract")}; list the types that may stand for "
                + $"it with [Union(tag, typeof(...))]";
        }

        return type.AllInterfaces.Any(static i => i.SpecialType == SpecialType.System_Collections_IEnumerable)
            ? $"{name} is a collection of its own kind; use a List, Dictionary, HashSet or array"
            : null;
    }

    private bool AllSettable(string label, List<ObjectMember> members, Dictionary<ObjectMember, int> positions)
    {
        bool all = true;
        foreach (ObjectMember member in members.Where(m => !positions.ContainsKey(m) && !m.CanInitialize))
        {
            resolver.Report(TypeRules.MemberCannotBeSet, SourceLocation.Of(member.Symbol), $"{label}.{member.Name}");
            all = false;
        }

        return all;
    }

    private MemberModel? Model(ObjectMember member, string key, int index, IParameterSymbol? parameter, string path)
    {
        if (resolver.Resolve(member.Type, path) is not { } formatter)
        {
            return null;
        }

        MemberAssignment assignment = parameter is not null ? MemberAssignment.Constructor
            : member.IsRequired ? MemberAssignment.Required
            : member.CanAssign ? MemberAssignment.Afterwards
            : MemberAssignment.Initializer;
        bool mayBeDefault = member.Type.IsValueType || member.Type.NullableAnnotation != NullableAnnotation.NotAnnotated;
        string? fallback = parameter is null ? null : DefaultValues.Of(parameter);
        if (fallback is null && mayBeDefault && assignment == MemberAssignment.Constructor)
        {
            fallback = "default";
        }

        return new MemberModel(
            member.Name, key, index, TypeText.Code(member.Type), formatter, parameter?.Ordinal ?? -1, assignment, fallback);
    }

    /// <summary>Names or positions of the members; null after reporting orders that do not fit.</summary>
    private (bool ByPosition, List<(ObjectMember Member, string Key, int Index)> Members)? WireOrder(
        INamedTypeSymbol type, string label, List<ObjectMember> members)
    {
        if (!MemberFinder.IsDataContract(type))
        {
            return (false, members.ConvertAll(static m => (m, m.Name, 0)));
        }

        int[] orders = members.Select(static m => Named(m, "Order") is int order ? order : -1).ToArray();
        bool byPosition = orders.Length > 0 && orders.All(static o => o >= 0);
        string? problem = orders.Any(static o => o >= 0) && !byPosition ? "either every [DataMember] has an Order or none has"
            : byPosition && orders.Distinct().Count() < orders.Length ? "two members have the same Order"
            : byPosition && orders.Max() > 255
            ? $"Order {orders.Max().ToString(CultureInfo.InvariantCulture)} is above 255, and each number up to it takes a byte in "
            + $"every message"
            : null;
        List<(ObjectMember Member, string Key, int Index)> order =
            [.. members.Select((m, i) => (m, Named(m, "Name") as string ?? m.Name, orders[i])).OrderBy(m => byPosition ? m.Item3 : 0)];
        if (problem is null && !byPosition && order.Select(static m => m.Key).Distinct().Count() < order.Count)
        {
            problem = "two members have the same Name";
        }

        if (problem is null)
        {
            return (byPosition, order);
        }

        resolver.Report(TypeRules.DataContractOrder, SourceLocation.Of(type), label, problem);
        return null;
    }

    private static object? Named(ObjectMember member, string argument) =>
        member.DataMember?.NamedArguments.FirstOrDefault(a => a.Key == argument).Value.Value;
}
