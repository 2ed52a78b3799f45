namespace Ambrosia.Cli.Clients;

/// <summary>What a package says, with the names that everything has in it.</summary>
internal sealed class TypeScriptModel
{
    public TypeScriptModel(ClientContract contract)
    {
        Contract = contract;
        var names = new TypeScriptNames();
        Interface = names.InterfaceOf(contract.Interface);
        Types = new TypeScriptTypes(contract, names);
        IReadOnlyList<string> called = TypeScriptNames.MethodsOf(contract.Methods);
        Methods =
        [
            .. contract.Methods.Select((method, i) => new TypeScriptMethod(
                called[i], method.Name,
                [.. method.Overloads.Select(each => (each.Parameters.Count == 0 ? "" : names.TypeOf(ArgumentsOf(method)), each))])),
        ];
    }

    public ClientContract Contract { get; }

    /// <summary>Name of the interface of all methods.</summary>
    public string Interface { get; }

    public TypeScriptTypes Types { get; }

    public IReadOnlyList<TypeScriptMethod> Methods { get; }

    /// <summary>What it is of, for people: nothing of it ends a comment.</summary>
    public string Title => Plain($"{Contract.Interface} of {Contract.Instance}");

    /// <summary>The first line of each file.</summary>
    public string Head => $"// Made by 'ambrosia client typescript' of {Title}. It is made anew, so change nothing here.";

    private static string ArgumentsOf(ClientMethod method) => TypeScriptNames.ShortOf(method.Name) + "Arguments";

    private static string Plain(string text) =>
        string.Concat(text.Select(static c => char.IsLetterOrDigit(c) || c is '.' or '-' or '_' or ' ' ? c : '?'));
}
