using System.Globalization;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>Makes the typed service of an interface from what its app tells (docs/internals/typed-grpc.md).</summary>
internal sealed class ProtoBuilder
{
    private readonly ProtoNames _names = new();
    private readonly Dictionary<NamedShape, ProtoMessage> _named = [];
    private readonly Dictionary<string, ProtoMessage> _others = [];

    private ProtoBuilder()
    {
    }

    /// <summary>The service: all methods, so that no name in it depends on who asks.</summary>
    public static ProtoService Build(AppShape app)
    {
        string[] parts = app.Interface.Split('.');
        string last = parts[^1];
        string name = ProtoNames.OfType(last.Length > 1 && last[0] == 'I' && char.IsUpper(last[1]) ? last[1..] : last);
        IEnumerable<string> package = parts[..^1].Append(name).Select(ProtoNames.OfField);
        return new ProtoService($"ambrosia.apps.{string.Join('.', package)}", name, new ProtoBuilder().Methods(app, name));
    }

    private List<ProtoMethod> Methods(AppShape app, string service)
    {
        _names.Take(service); // No message may have it.
        var begun = new List<ProtoMethod>();
        var names = new ProtoNames();
        foreach (MethodShape method in app.Methods)
        {
            bool isOnly = app.Methods.Count(each => each.Name == method.Name) == 1;
            string name = names.Take(ProtoNames.OfType(isOnly || method.Parameters.Count == 0 ? method.Name
                : $"{method.Name}By{string.Join("And", method.Parameters.Select(static each => Upper(each.Name)))}"),
                ProtoNames.OfType($"{method.Name}_{method.Id.ToString(CultureInfo.InvariantCulture)}"));
            IEnumerable<TypeShape> types = method.Parameters.Select(static each => each.Type);
            string? missing = types.Concat(method.Result is { } result ? [result] : [])
                .Select(ProtoNumbers.WhyNot).FirstOrDefault(static reason => reason is not null);
            begun.Add(new ProtoMethod(
                name, method, new ProtoMessage(_names.Take($"{name}Request"), ProtoForm.Object),
                new ProtoMessage(_names.Take($"{name}Reply"), ProtoForm.Wrapper), missing));
        }

        foreach (ProtoMethod method in begun.Where(static method => method.Missing is null))
        {
            Complete(method);
        }

        return begun;
    }

    private void Complete(ProtoMethod method)
    {
        var names = new ProtoNames();
        int number = 0;
        method.Request.Complete(
        [
            .. method.Shape.Parameters.Select(each => new ProtoField(
                ++number, names.Take(ProtoNames.OfField(each.Name)), each.Name,
                each is { Default: { } value, Type: OptionalShape } && value is not [0xc0]
                    ? new ProtoContent(ProtoKind.Message, Wrapper(each.Type)) // Left out it is the default, and empty it is null.
                    : ContentOf(each.Type), each.Default is null)),
        ]);
        if (method.Shape.Result is { } result)
        {
            method.Reply.Complete([new ProtoField(1, "result", "result", ContentOf(result), IsNeeded: true)]);
        }
    }

    private ProtoContent ContentOf(TypeShape type) => type switch
    {
        ScalarShape scalar => new ProtoContent(KindOf(scalar.Kind)) { IsCharacter = scalar.Kind == ScalarKind.Char },
        EnumShape => new ProtoContent(ProtoKind.String),
        OptionalShape { Value: ListShape or MapShape } optional =>
            new ProtoContent(ProtoKind.Message, Wrapper(optional.Value)) { IsNullable = true },
        OptionalShape optional => ContentOf(optional.Value) with { IsNullable = true },
        ListShape list => ElementOf(list.Item) with { IsRepeated = true },
        MapShape { HasNames: true } map => ElementOf(map.Value) with
        {
            IsRepeated = true,
            Key = map.Key is ScalarShape { Kind: not ScalarKind.Char } key ? KindOf(key.Kind) : ProtoKind.String,
        },
        MapShape map => ElementOf(new TupleShape([map.Key, map.Value])) with { IsRepeated = true },
        TupleShape tuple => new ProtoContent(ProtoKind.Message, Tuple(tuple)),
        NamedShape named => new ProtoContent(ProtoKind.Message, Named(named)),
        _ => throw new ShapeException("a type without a message"),
    };

    private ProtoContent ElementOf(TypeShape type) => type is OptionalShape or ListShape or MapShape
        ? new ProtoContent(ProtoKind.Message, Wrapper(type)) : ContentOf(type);

    private ProtoMessage Wrapper(TypeShape type) => Other(type, ProtoForm.Wrapper, () =>
        [new ProtoField(1, type is OptionalShape ? "value" : "items", "", ContentOf(type), IsNeeded: true)]);

    private ProtoMessage Tuple(TupleShape tuple) => Other(tuple, ProtoForm.Tuple, () =>
    {
        int number = 0;
        return [.. tuple.Items.Select(item => new ProtoField(
            ++number, $"item{number.ToString(CultureInfo.InvariantCulture)}", "", ContentOf(item), IsNeeded: true))];
    });

    private ProtoMessage Other(TypeShape type, ProtoForm form, Func<IReadOnlyList<ProtoField>> fields)
    {
        string key = KeyOf(type);
        if (!_others.TryGetValue(key, out ProtoMessage? message))
        {
            _others[key] = message = new ProtoMessage(_names.Take(ProtoNames.Of(type)), form);
            message.Complete(fields());
        }

        return message;
    }

    private ProtoMessage Named(NamedShape type)
    {
        if (_named.TryGetValue(type, out ProtoMessage? message))
        {
            return message;
        }

        string name = _names.Take(ProtoNames.Short(type), ProtoNames.OfType(type.Name));
        _named[type] = message = new ProtoMessage(name, type is UnionShape ? ProtoForm.Union : ProtoForm.Object);
        var names = new ProtoNames();
        if (type is UnionShape)
        {
            names.Take("kind"); // That of the oneof.
        }

        message.Complete(type is ObjectShape shape
            ? [.. shape.Members.Select(member => new ProtoField(
                ProtoNumbers.Of(shape, member), names.Take(ProtoNames.OfField(member.Name)), member.Name, ContentOf(member.Type),
                member.IsNeeded))]
            : [.. ((UnionShape)type).Cases.Select(each => new ProtoField(
                each.Tag + 1, names.Take(ProtoNames.OfField(each.Type is NamedShape named ? ProtoNames.Short(named) : $"case{each.Tag}")),
                each.Name, ElementOf(each.Type), IsNeeded: false))]);
        return message;
    }

    private static ProtoKind KindOf(ScalarKind kind) => kind switch
    {
        ScalarKind.Bool => ProtoKind.Bool,
        ScalarKind.Int8 or ScalarKind.Int16 or ScalarKind.Int32 => ProtoKind.Int32,
        ScalarKind.Int64 => ProtoKind.Int64,
        ScalarKind.UInt8 or ScalarKind.UInt16 or ScalarKind.UInt32 or ScalarKind.Char => ProtoKind.UInt32,
        ScalarKind.UInt64 => ProtoKind.UInt64,
        ScalarKind.Float16 or ScalarKind.Float32 => ProtoKind.Float,
        ScalarKind.Float64 => ProtoKind.Double,
        ScalarKind.Bytes => ProtoKind.Bytes,
        _ => ProtoKind.String,
    };

    // Two types with one key are one type.
    private static string KeyOf(TypeShape type) => type switch
    {
        ScalarShape scalar => scalar.Kind.ToString(),
        NamedShape named => "#" + named.Number.ToString(CultureInfo.InvariantCulture),
        OptionalShape optional => KeyOf(optional.Value) + "?",
        ListShape list => $"[{KeyOf(list.Item)}]",
        MapShape map => $"{{{KeyOf(map.Key)}:{KeyOf(map.Value)}}}",
        TupleShape tuple => $"({string.Join(',', tuple.Items.Select(KeyOf))})",
        _ => "",
    };

    private static string Upper(string name) => name.Length == 0 ? "" : char.ToUpperInvariant(name[0]) + name[1..];
}
