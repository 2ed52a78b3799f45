using System.Text.Json;

namespace Ambrosia.Cli.Clients;

/// <summary>
/// Names of types in TypeScript and of methods in JavaScript. Two names of an app that would become one get numbers; none is left out.
/// </summary>
internal sealed class TypeScriptNames
{
    // What the module has or uses itself, what the language reserves, and types that a reader would take for those of the language.
    private static readonly string[] s_taken =
    [
        "Answer", "AwakeableOptions", "Call", "CallError", "CallFailed", "CallNotAnswered", "CallOptions", "CallRefused", "ConnectOptions",
        "Key", "NoArguments", "OtherValue", "Parameters", "Query", "QueryOptions", "SendOptions", "WaitOptions", "complete", "connect",
        "newKey", "reject", "t", "connectTo", "contract", "Array", "Date", "Error", "Map", "Object", "Promise", "Record", "Set", "String",
        "Number", "Boolean", "Symbol", "Function", "Uint8Array", "URL", "any", "bigint", "boolean", "never", "null", "number", "object",
        "string", "symbol", "undefined", "unknown", "void", "abstract", "arguments", "as", "async", "await", "break", "case", "catch",
        "class", "const", "continue", "debugger", "declare", "default", "delete", "do", "else", "enum", "eval", "export", "extends",
        "false", "finally", "for", "function", "if", "implements", "import", "in", "infer", "instanceof", "interface", "is", "keyof",
        "let", "module", "namespace", "new", "package", "private", "protected", "public", "readonly", "require", "return", "static",
        "super", "switch", "this", "throw", "true", "try", "type", "typeof", "var", "while", "with", "yield",
    ];

    // Members that every object has, or that make the runtime do something else with it: an object with "then" is awaited.
    private static readonly string[] s_members =
    [
        "then", "constructor", "prototype", "__proto__", "toString", "toJSON", "valueOf", "hasOwnProperty", "isPrototypeOf",
        "propertyIsEnumerable", "toLocaleString",
    ];

    private readonly HashSet<string> _types = new(s_taken, StringComparer.Ordinal);

    /// <summary>A name for a type that no other has.</summary>
    /// <param name="wanted">What it would be called.</param>
    public string TypeOf(string wanted) => Unique(_types, wanted);

    /// <summary>The interface that calls are made by: <c>IShop</c> is <c>Shop</c>.</summary>
    public string InterfaceOf(string name) =>
        TypeOf(ShortOf(name.Length > 1 && name[0] == 'I' && char.IsUpper(name[1]) ? name[1..] : name));

    /// <summary>What a type would be called without its namespace: <c>Shop.Page&lt;Shop.Order&gt;</c> is <c>PageOrder</c>.</summary>
    public static string ShortOf(string title) => Joined(Words(title).Select(static word => word.Split('.', '+')[^1]));

    /// <summary>The same with it: <c>ShopPageShopOrder</c>.</summary>
    public static string LongOf(string title) => Joined(Words(title).SelectMany(static word => word.Split('.', '+')));

    /// <summary>Names by which JavaScript calls methods, in their order: <c>PriceOf</c> is <c>priceOf</c>.</summary>
    public static IReadOnlyList<string> MethodsOf(IReadOnlyList<ClientMethod> methods)
    {
        var taken = new HashSet<string>(StringComparer.Ordinal);
        string[] names = new string[methods.Count];

        // First those that are written so in the app: another one must not take their name, and keeps its own.
        foreach (int i in Enumerable.Range(0, names.Length).OrderBy(i => Camel(methods[i].Name) == methods[i].Name ? 0 : 1))
        {
            names[i] = Unique(taken, Camel(methods[i].Name), methods[i].Name);
        }

        return names;
    }

    /// <summary>A name as a member of an object: with quotation marks where it needs them.</summary>
    public static string Member(string name) => name == "__proto__" ? "[\"__proto__\"]" : IsIdentifier(name) ? name : Quoted(name);

    /// <summary>A text in JavaScript.</summary>
    public static string Quoted(string text) => JsonSerializer.Serialize(text);

    private static bool IsIdentifier(string name) =>
        name.Length > 0 && !char.IsAsciiDigit(name[0]) && name.All(static c => char.IsAsciiLetterOrDigit(c) || c is '_' or '$');

    private static string Identifier(string text) => string.Concat(text.Where(static c => char.IsAsciiLetterOrDigit(c) || c == '_'));

    private static string Capital(string word) => word.Length == 0 ? "" : char.ToUpperInvariant(word[0]) + word[1..];

    // As .NET's own camel case: capitals at the beginning, but not that of the next word. IDOf is idOf, URL is url.
    private static string Camel(string name) => JsonNamingPolicy.CamelCase.ConvertName(name) is var camel && s_members.Contains(camel)
        ? $"{camel}_" : camel;

    private static string[] Words(string title) =>
        title.Split([.. title.Where(static c => !char.IsLetterOrDigit(c) && c is not ('_' or '.' or '+')).Distinct()]);

    private static string Joined(IEnumerable<string> words)
    {
        string name = string.Concat(words.Select(static word => Capital(Identifier(word))));
        return name.Length == 0 ? "Type" : char.IsAsciiDigit(name[0]) ? $"T{name}" : name;
    }

    private static string Unique(HashSet<string> taken, params string[] wanted)
    {
        string? free = wanted.FirstOrDefault(taken.Add);
        for (int number = 2; free is null; number++)
        {
            string next = $"{wanted[0]}{number}";
            free = taken.Add(next) ? next : null;
        }

        return free;
    }
}
