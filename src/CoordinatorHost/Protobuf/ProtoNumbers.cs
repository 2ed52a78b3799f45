using System.Globalization;
using System.Text;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>Numbers of fields, and why a type cannot have them. They stay when members, methods and types are added.</summary>
internal static class ProtoNumbers
{
    private const int Most = 536_870_911, FirstReserved = 19_000, LastReserved = 19_999;

    /// <summary>The number of a member: its position, or a hash of its name.</summary>
    public static int Of(ObjectShape shape, MemberShape member) => shape.IsArray ? member.At + 1 : OfName(member.Name);

    /// <summary>Why a type has no message; null if it has.</summary>
    public static string? WhyNot(TypeShape type) => WhyNot(type, []);

    private static string? WhyNot(TypeShape type, HashSet<NamedShape> known) => type switch
    {
        ScalarShape { Kind: ScalarKind.Any } => "it has a value of any type",
        OptionalShape optional => WhyNot(optional.Value, known),
        ListShape list => WhyNot(list.Item, known),
        TupleShape tuple => FirstOf(tuple.Items, known),
        MapShape { Key: ScalarShape { Kind: ScalarKind.Float16 or ScalarKind.Float32 or ScalarKind.Float64 } } =>
            "a map has keys with fractions",
        MapShape map => FirstOf([map.Key, map.Value], known),
        ObjectShape members when known.Add(members) => Clash(members) ?? FirstOf(members.Members.Select(static each => each.Type), known),
        UnionShape union when known.Add(union) =>
            Strange(union) ?? FirstOf(union.Cases.Select(static each => each.Type), known),
        _ => null,
    };

    private static string? FirstOf(IEnumerable<TypeShape> types, HashSet<NamedShape> known) =>
        types.Select(type => WhyNot(type, known)).FirstOrDefault(static reason => reason is not null);

    private static string? Clash(ObjectShape shape) =>
        shape.Members.Select(member => Of(shape, member)).Distinct().Count() == shape.Members.Count
            ? null : $"two members of {ProtoNames.Short(shape)} would have one number: rename one";

    private static string? Strange(UnionShape union) =>
        union.Cases.FirstOrDefault(static each => !IsFree(each.Tag + 1L)) is { } strange
            ? string.Create(CultureInfo.InvariantCulture, $"tag {strange.Tag} of {ProtoNames.Short(union)} is no number of a field")
            : union.Cases.DistinctBy(static each => each.Tag).Count() < union.Cases.Count
            ? $"two types of {ProtoNames.Short(union)} have one tag" : null;

    private static bool IsFree(long number) => number is > 0 and <= Most and not (>= FirstReserved and <= LastReserved);

    // FNV-1a. It must never change: stubs have these numbers.
    private static int OfName(string name)
    {
        uint hash = 2_166_136_261;
        foreach (byte each in Encoding.UTF8.GetBytes(name))
        {
            hash = (hash ^ each) * 16_777_619;
        }

        int number = (int)(hash % Most) + 1;
        return IsFree(number) ? number : number + LastReserved; // Past those that are reserved.
    }
}
