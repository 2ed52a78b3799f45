using System.Text;

namespace Ambrosia.Cli.Clients;

/// <summary>Writes <c>index.d.ts</c>: what a compiler knows of the client.</summary>
internal static class TypeScriptDeclarations
{
    private const string Own = "Answer, AwakeableOptions, Call, CallOptions, ConnectOptions, Key, NoArguments, OtherValue, Query, "
        + "QueryOptions, SendOptions, WaitOptions";

    /// <summary>The text.</summary>
    public static string Of(TypeScriptModel model)
    {
        var text = new StringBuilder();
        text.Append($$"""
            {{model.Head}}
            import type { Call, ConnectOptions, NoArguments, OtherValue, Query } from "./runtime/index.js";

            export type { {{Own}} } from "./runtime/index.js";
            export { CallError, CallFailed, CallNotAnswered, CallRefused, complete, newKey, reject } from "./runtime/index.js";

            /** Methods of {{model.Title}}. */
            export interface {{model.Interface}} {

            """);
        foreach (TypeScriptMethod method in model.Methods)
        {
            text.Append($"  readonly {TypeScriptNames.Member(method.Name)}: {TypeOf(method, model.Types)};\n");
        }

        text.Append($$"""
            }

            /** Calls of one immortal. Several addresses are those of its replicas. */
            export declare function connect(address: string | URL | readonly (string | URL)[], options?: ConnectOptions): {{model.Interface}};

            """);
        foreach ((string name, ClientOverload overload) in model.Methods.SelectMany(static method => method.Overloads)
            .Where(static each => each.Overload.Parameters.Count > 0))
        {
            Interface(text, name, overload.Parameters, isSent: true, model.Types);
        }

        foreach (NamedType type in model.Contract.Types)
        {
            Named(text, model.Types.NameOf(type), type.Type, model.Types.IsOnlySent(type), model.Types);
            if (model.Types.NameOfSent(type) is { } sent)
            {
                Named(text, sent, type.Type, isSent: true, model.Types);
            }
        }

        return text.ToString();
    }

    private static string TypeOf(TypeScriptMethod method, TypeScriptTypes types)
    {
        string kept = method.Overloads.Count > 1 ? ", unknown" : "";
        return string.Join(" & ", method.Overloads.SelectMany(each =>
        {
            string arguments = each.Overload.Parameters.Count == 0 ? "NoArguments" : each.Name;
            string result = each.Overload.Result is { } given ? types.Text(given, isSent: false) : "void";
            string call = $"Call<{arguments}, {result}{kept}>";
            return each.Overload.IsQuery ? [call, $"Query<{arguments}, {result}>"] : (string[])[call];
        }));
    }

    private static void Named(StringBuilder text, string name, WireType type, bool isSent, TypeScriptTypes types)
    {
        if (type.Kind == WireKind.Object)
        {
            Interface(text, name, type.Members, isSent, types);
            return;
        }

        text.Append($"\nexport type {name} = {types.Text(type, isSent)};\n");
    }

    private static void Interface(
        StringBuilder text, string name, IReadOnlyList<WireMember> members, bool isSent, TypeScriptTypes types)
    {
        text.Append($"\nexport interface {name} {{\n");
        foreach (string member in types.Members(members, isSent))
        {
            text.Append($"  {member};\n");
        }

        text.Append("}\n");
    }
}
