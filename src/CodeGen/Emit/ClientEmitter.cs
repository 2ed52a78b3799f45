using System.Globalization;
using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Emit;

/// <summary>
/// Writes the client of an immortal for ordinary processes: for each method the Async variant, which waits for the answer, and the Send
/// variant, which waits until the call is in the log; for each query also the Query variant, which leaves the log alone, and the Watch
/// variant, which goes on.
/// </summary>
public static class ClientEmitter
{
    /// <summary>The class whose presence says that a project wants clients.</summary>
    public const string BaseName = "Ambrosia.Client.ImmortalClient`1";

    private const string Token = "global::System.Threading.CancellationToken";
    private const string Task = "global::System.Threading.Tasks.Task";
    private const string Stream = "global::System.Collections.Generic.IAsyncEnumerable";

    // How the generated method goes on: by the method of its base that has this name behind "End".
    private enum End
    {
        Call,
        Send,
        Query,
        Watch,
    }

    /// <summary>The file.</summary>
    public static string Emit(InterfaceModel model)
    {
        SourceWriter writer = new();
        if (model.Namespace.Length > 0)
        {
            writer.Open("namespace " + string.Join(".", model.Namespace.Split('.').Select(Names.Escape)));
        }

        writer.Line($"/// <summary>Calls an immortal that implements <see cref=\"{model.DocumentationId}\"/>, from a process that is "
            + $"none.</summary>");
        writer.Line(Names.Attributes);
        writer.Open($"{model.Accessibility} sealed class {model.ClientName} : global::Ambrosia.Client.ImmortalClient<{model.ClientName}>");
        bool first = true;
        foreach (MethodModel method in model.Methods)
        {
            if (!first)
            {
                writer.Line();
            }

            first = false;
            EmitVariant(writer, model, method, "Async", End.Call);
            writer.Line();
            EmitVariant(writer, model, method, "Send", End.Send);
            if (method.IsQuery && method.ResultType is not null)
            {
                writer.Line();
                EmitVariant(writer, model, method, "Query", End.Query);
                writer.Line();
                EmitVariant(writer, model, method, "Watch", End.Watch);
            }
        }

        writer.Close();
        if (model.Namespace.Length > 0)
        {
            writer.Close();
        }

        return writer.ToString();
    }

    private static void EmitVariant(SourceWriter writer, InterfaceModel model, MethodModel method, string suffix, End end)
    {
        string result = end == End.Send || method.ResultType is null ? "" : $"<{method.ResultType}>";
        string token = TokenOf(method);
        writer.Line($"/// <inheritdoc cref=\"{method.DocumentationId}\"/>");
        writer.Open($"public {(end == End.Watch ? Stream : Task)}{result} {method.Stem}{suffix}({Parameters(method, token)})");
        string size = string.Join(" + ", method.Parameters.Select(static p => p.Size.Contains(' ') ? $"({p.Size})" : p.Size).Prepend("8"));
        writer.Line($"{Names.Outgoing} __call = Begin({size});");
        writer.Line($"__call.Arguments.WriteArrayHeader({Number(method.Parameters.Count)});");
        foreach (ParameterModel parameter in method.Parameters)
        {
            writer.Line($"__call.Arguments.Subject = {Names.Quote(method.Name + "." + parameter.Name)};");
            writer.Line($"default({parameter.Formatter}).Write(ref __call.Arguments, @{parameter.Name});");
        }

        string results = result.Length == 0 ? "" : $"<{method.ResultType}, {method.ResultFormatter}>";
        string name = Names.Quote(model.Name + "." + method.Name);
        writer.Line($"return End{end}{results}(ref __call, {Number(method.Id)}, {name}, @{token});");
        writer.Close();
    }

    // An array of any number of arguments must come last, and here the token does.
    private static string Parameters(MethodModel method, string token)
    {
        bool hasDefaults = !method.Parameters.Any(static p => p.IsParams);
        return string.Concat(method.Parameters.Select(p =>
            p.Type + " @" + p.Name + (p.Default is null || !hasDefaults ? "" : " = " + p.Default) + ", ")) + $"{Token} @{token} = default";
    }

    private static string TokenOf(MethodModel method)
    {
        string name = "cancellationToken";
        while (method.Parameters.Any(p => p.Name == name))
        {
            name = "_" + name;
        }

        return name;
    }

    private static string Number(int value) => value.ToString(CultureInfo.InvariantCulture);
}
