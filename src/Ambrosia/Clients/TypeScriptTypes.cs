namespace Ambrosia.Cli.Clients;

/// <summary>
/// Types as TypeScript writes them. A type that may be sent in more ways than it comes back, as a time by a <c>Date</c>, has two names.
/// </summary>
internal sealed class TypeScriptTypes
{
    private readonly Dictionary<string, NamedType> _types;
    private readonly Dictionary<string, string> _names = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _sent = new(StringComparer.Ordinal);
    private readonly HashSet<string> _onlySent = new(StringComparer.Ordinal);

    public TypeScriptTypes(ClientContract contract, TypeScriptNames names)
    {
        _types = contract.Types.ToDictionary(static type => type.Schema, StringComparer.Ordinal);
        HashSet<string> returned = Reached(contract.Methods.SelectMany(static method => method.Overloads)
            .Select(static each => each.Result).OfType<WireType>());
        HashSet<string> sent = Reached(contract.Methods.SelectMany(static method => method.Overloads)
            .SelectMany(static each => each.Parameters).Select(static parameter => parameter.Type));
        ILookup<string, NamedType> shorts = contract.Types.ToLookup(static type => TypeScriptNames.ShortOf(type.Title));
        foreach (NamedType type in contract.Types)
        {
            // Two of one name have their namespaces, so that a third one changes neither.
            string name = TypeScriptNames.ShortOf(type.Title);
            _names[type.Schema] = names.TypeOf(shorts[name].Count() == 1 ? name : TypeScriptNames.LongOf(type.Title));
            _onlySent.UnionWith(sent.Contains(type.Schema) && !returned.Contains(type.Schema) ? [type.Schema] : []);
        }

        foreach (NamedType type in contract.Types.Where(type => sent.Contains(type.Schema) && returned.Contains(type.Schema)
            && IsSentOtherwise(type.Type, [])))
        {
            _sent[type.Schema] = names.TypeOf(_names[type.Schema] + "Input");
        }
    }

    /// <summary>The name of one that has a name.</summary>
    public string NameOf(NamedType type) => _names[type.Schema];

    /// <summary>Whether it is an argument, and no result.</summary>
    public bool IsOnlySent(NamedType type) => _onlySent.Contains(type.Schema);

    /// <summary>The name of what is sent for it; null if that is the same.</summary>
    public string? NameOfSent(NamedType type) => _sent.GetValueOrDefault(type.Schema);

    /// <summary>The name of one that another refers to.</summary>
    public string NameOf(WireType reference) => _names[reference.Reference];

    /// <summary>A type.</summary>
    /// <param name="type">The type.</param>
    /// <param name="isSent">Whether it is an argument.</param>
    public string Text(WireType type, bool isSent) => type.Kind switch
    {
        WireKind.Boolean => "boolean",
        WireKind.Text => "string",
        WireKind.Float or WireKind.Integer => "number",
        WireKind.Large => isSent ? "bigint | number" : "bigint",
        WireKind.Decimal => isSent ? "string | number" : "string",
        WireKind.Time => isSent ? "string | Date" : "string",
        WireKind.Bytes => "Uint8Array",
        WireKind.Nullable => $"{Text(type.Items[0], isSent)} | null",
        WireKind.List => $"{Grouped(type.Items[0], isSent)}[]",
        WireKind.Tuple => $"[{string.Join(", ", type.Items.Select(item => Text(item, isSent)))}]",
        WireKind.Map => $"{{ [key: string]: {Text(type.Items[0], isSent)} }}",
        WireKind.Enum => Enum(type.Names),
        WireKind.Named => isSent && _sent.TryGetValue(type.Reference, out string? sent) ? sent : _names[type.Reference],
        WireKind.Object => $"{{ {string.Join("; ", Members(type.Members, isSent))} }}",
        WireKind.Union => string.Join(" | ", type.Members.Select(each => Case(each, isSent))),
        _ => "unknown",
    };

    /// <summary>Members of an object, each without the mark at its end.</summary>
    public IEnumerable<string> Members(IEnumerable<WireMember> members, bool isSent) => members.Select(member =>
        $"{TypeScriptNames.Member(member.Name)}{(isSent && !member.IsNeeded ? "?" : "")}: {Text(member.Type, isSent)}");

    private static string Enum(IReadOnlyList<string> names)
    {
        string all = string.Join(" | ", names.Distinct().Select(TypeScriptNames.Quoted));
        return names.Count == 0 ? "number" : $"{all} | OtherValue<{all}>";
    }

    private string Case(WireMember each, bool isSent)
    {
        string members = string.Join("; ", Members(each.Type.Members, isSent).Prepend($"$type: {TypeScriptNames.Quoted(each.Name)}"));
        return $"{{ {members} }}";
    }

    private string Grouped(WireType type, bool isSent) => Text(type, isSent) is var text && text.Contains(" | ", StringComparison.Ordinal)
        && type.Kind is not (WireKind.Object or WireKind.Map or WireKind.Tuple or WireKind.List) ? $"({text})" : text;

    private HashSet<string> Reached(IEnumerable<WireType> types)
    {
        var reached = new HashSet<string>(StringComparer.Ordinal);
        var left = new Stack<WireType>(types);
        while (left.TryPop(out WireType? type))
        {
            IEnumerable<WireType> next = type.Kind == WireKind.Named
                ? reached.Add(type.Reference) ? [_types[type.Reference].Type] : []
                : type.Items.Concat(type.Members.Select(static member => member.Type));
            foreach (WireType each in next)
            {
                left.Push(each);
            }
        }

        return reached;
    }

    private bool IsSentOtherwise(WireType type, HashSet<string> seen) => type.Kind switch
    {
        WireKind.Large or WireKind.Decimal or WireKind.Time => true,
        WireKind.Named => seen.Add(type.Reference) && IsSentOtherwise(_types[type.Reference].Type, seen),
        WireKind.Union => type.Members.Any(each => IsSentOtherwise(each.Type, seen)),
        _ => type.Items.Any(item => IsSentOtherwise(item, seen))
            || type.Members.Any(member => !member.IsNeeded || IsSentOtherwise(member.Type, seen)),
    };
}
