using System.Text;

namespace Ambrosia.Cli.Clients;

/// <summary>Writes <c>index.js</c>: methods and types, as the runtime beside it reads them.</summary>
internal static class JavaScriptModule
{
    /// <summary>The text.</summary>
    public static string Of(TypeScriptModel model)
    {
        var text = new StringBuilder();
        text.Append($$"""
            {{model.Head}}
            import { connectTo } from "./runtime/calls.js";
            import { t } from "./runtime/values.js";

            export { CallError, CallFailed, CallNotAnswered, CallRefused, complete, newKey, reject } from "./runtime/index.js";

            export const connect = (address, options) => connectTo(contract, address, options);


            """);
        foreach (NamedType type in model.Contract.Types)
        {
            text.Append($"const {model.Types.NameOf(type)} = {Type(type.Type, model.Types)};\n");
        }

        text.Append($"\nconst contract = {{\n  instance: {TypeScriptNames.Quoted(model.Contract.Instance)},\n  methods: [\n");
        foreach (TypeScriptMethod method in model.Methods)
        {
            text.Append($"    {{\n      as: {TypeScriptNames.Quoted(method.Name)},\n");
            text.Append($"      name: {TypeScriptNames.Quoted(method.Called)},\n      overloads: [\n");
            foreach ((_, ClientOverload overload) in method.Overloads)
            {
                text.Append($"        {Overload(overload, model.Types)},\n");
            }

            text.Append("      ],\n    },\n");
        }

        return text.Append("  ],\n};\n").ToString();
    }

    private static string Overload(ClientOverload overload, TypeScriptTypes types)
    {
        string needed = string.Join(", ", overload.Parameters.Where(static parameter => parameter.IsNeeded)
            .Select(static parameter => TypeScriptNames.Quoted(parameter.Name)));
        string result = overload.Result is { } given ? $", result: {Type(given, types)}" : "";
        string query = overload.IsQuery ? ", query: true" : "";
        return $"{{ arguments: t.object({Members(overload.Parameters, types)}), required: [{needed}]{result}{query} }}";
    }

    private static string Type(WireType type, TypeScriptTypes types) => type.Kind switch
    {
        WireKind.Float => "t.float",
        WireKind.Integer => "t.integer",
        WireKind.Large => "t.large",
        WireKind.Decimal => "t.decimal",
        WireKind.Time => "t.time",
        WireKind.Bytes => "t.bytes",
        WireKind.Nullable => $"t.nullable({Type(type.Items[0], types)})",
        WireKind.List => $"t.list({Type(type.Items[0], types)})",
        WireKind.Tuple => $"t.tuple({string.Join(", ", type.Items.Select(item => Type(item, types)))})",
        WireKind.Map => $"t.map({Type(type.Items[0], types)})",
        WireKind.Object => $"t.object({Members(type.Members, types)})",
        WireKind.Union => $"t.union({{ {string.Join(", ", type.Members.Select(each => Case(each, types)))} }})",
        WireKind.Named => $"t.named(() => {types.NameOf(type)})", // Types may hold each other.
        _ => "t.json",
    };

    private static string Case(WireMember each, TypeScriptTypes types) =>
        $"{TypeScriptNames.Member(each.Name)}: {Members(each.Type.Members, types)}";

    private static string Members(IReadOnlyList<WireMember> members, TypeScriptTypes types) => members.Count == 0 ? "{}"
        : $"{{ {string.Join(", ", members.Select(member => $"{TypeScriptNames.Member(member.Name)}: {Type(member.Type, types)}"))} }}";
}
