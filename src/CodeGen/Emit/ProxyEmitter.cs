using System.Globalization;
using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Emit;

/// <summary>Writes the proxy of an immortal: for each method the Async and Fork variants, and the Impulse variant where allowed.</summary>
internal static class ProxyEmitter
{
    public static void Emit(SourceWriter writer, InterfaceModel model)
    {
        writer.Line($"/// <summary>Sends messages to an immortal that implements <see cref=\"{model.DocumentationId}\"/>.</summary>");
        writer.Line(Names.Attributes);
        writer.Open($"{model.Accessibility} sealed class {model.ProxyName} : global::Ambrosia.ImmortalProxy");
        bool first = true;
        foreach (MethodModel method in model.Methods)
        {
            if (!first)
            {
                writer.Line();
            }

            first = false;
            EmitVariant(writer, method, InterfaceEmitter.TaskOf(method), "Async", "Call", answered: true, model.IsJson);
            writer.Line();
            EmitVariant(writer, method, "void", "Fork", "Fork", answered: false, model.IsJson);
            if (method.IsImpulse)
            {
                string task = "global::System.Threading.Tasks.Task" + (method.ResultType is null ? "" : $"<{method.ResultType}>");
                writer.Line();
                EmitVariant(writer, method, task, "Impulse", "Impulse", answered: true, model.IsJson);
            }
        }

        writer.Close();
    }

    private static void EmitVariant(SourceWriter writer, MethodModel method, string returns, string suffix, string verb, bool answered,
        bool isJson = false)
    {
        writer.Line($"/// <inheritdoc cref=\"{method.DocumentationId}\"/>");
        writer.Open($"public {returns} {method.Stem}{suffix}({Signatures.Parameters(method)})");
        string size = string.Join(" + ", method.Parameters.Select(static p => p.Size.Contains(' ') ? $"({p.Size})" : p.Size).Prepend("8"));
        bool isImpulse = verb == "Impulse"; // Begun from any thread, and it stays as it is when it is for the immortal itself.
        writer.Line($"{Names.Outgoing} __call = {(isJson && !isImpulse ? "BeginJson()" : $"Begin{verb}({Number(method.Id)}, {size})")};");
        writer.Line($"__call.Arguments.WriteArrayHeader({Number(method.Parameters.Count)});");
        foreach (ParameterModel parameter in method.Parameters)
        {
            writer.Line($"__call.Arguments.Subject = {Names.Quote(method.Name + "." + parameter.Name)};");
            writer.Line($"default({parameter.Formatter}).Write(ref __call.Arguments, @{parameter.Name});");
        }

        string results = answered && method.ResultType is not null ? $"<{method.ResultType}, {method.ResultFormatter}>" : "";
        string names = string.Concat(method.Parameters.Select(static p => ", " + Names.Quote(p.Name)));
        string json = isJson ? (isImpulse ? "" : $", {Number(method.Id)}") + names : "";
        writer.Line($"{(answered ? "return " : "")}End{(isJson ? "Json" : "")}{verb}{results}(ref __call{json});");
        writer.Close();
    }

    private static string Number(int value) => value.ToString(CultureInfo.InvariantCulture);
}
