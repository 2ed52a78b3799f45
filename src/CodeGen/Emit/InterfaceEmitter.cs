using System.Globalization;
using Ambrosia.CodeGen.Extract;
using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Emit;

/// <summary>Writes the base class of an immortal: its handlers, its dispatch and its contract.</summary>
public static class InterfaceEmitter
{
    /// <summary>The file with base class and proxy.</summary>
    public static string Emit(InterfaceModel model)
    {
        SourceWriter writer = new();
        if (model.Namespace.Length > 0)
        {
            writer.Open("namespace " + string.Join(".", model.Namespace.Split('.').Select(Names.Escape)));
        }

        EmitBase(writer, model);
        writer.Line();
        ProxyEmitter.Emit(writer, model);
        if (model.Namespace.Length > 0)
        {
            writer.Close();
        }

        return writer.ToString();
    }

    /// <summary>The hash by which two builds of an interface are told apart.</summary>
    public static string Hash(InterfaceModel model) => MethodIds.HexHash(string.Join("\n", model.Methods.Select(static m =>
        m.Id.ToString(CultureInfo.InvariantCulture) + " " + SignatureText(m) + (m.IsImpulse ? " impulse" : "")
        + (m.IsQuery ? " query" : ""))));

    private static string SignatureText(MethodModel method) => method.Signature + " -> " + method.WireResult;

    private static void EmitBase(SourceWriter writer, InterfaceModel model)
    {
        writer.Line($"/// <summary>Derive the immortal that implements <see cref=\"{model.DocumentationId}\"/> from this class.</summary>");
        writer.Line(Names.Attributes);
        writer.Open($"{model.Accessibility} abstract class {model.BaseName} : global::Ambrosia.Immortal");
        EmitContract(writer, model);
        writer.Line();
        writer.Line("/// <summary>Calls this immortal through its log, as others do.</summary>");
        writer.Line($"protected {model.ProxyName} This => SelfProxy<{model.ProxyName}>();");
        foreach (MethodModel method in model.Methods)
        {
            writer.Line();
            writer.Line($"/// <inheritdoc cref=\"{method.DocumentationId}\"/>");
            if (method.IsQuery)
            {
                writer.Line("[global::Ambrosia.QueryAttribute]");
            }

            writer.Line($"public abstract {TaskOf(method)} {Names.Escape(method.Name)}({Signatures.Parameters(method)});");
        }

        writer.Line();
        EmitDispatch(writer, model);
        for (int i = 0; i < model.Methods.Count; i++)
        {
            writer.Line();
            EmitCase(writer, model.Methods[i], i, model.IsJson);
        }

        writer.Close();
    }

    /// <summary>The durable task that a handler or a proxy method returns.</summary>
    internal static string TaskOf(MethodModel method) => method.ResultType is null ? Names.Task : $"{Names.Task}<{method.ResultType}>";

    private static void EmitContract(SourceWriter writer, InterfaceModel model)
    {
        writer.Line("private static readonly global::Ambrosia.ImmortalContract s_contract = new(");
        writer.Line($"    {Names.Quote(model.FullName)},");
        writer.Line($"    {Names.Quote(Hash(model))},");
        writer.Line("    new global::Ambrosia.ImmortalMethod[]");
        writer.Line("    {");
        foreach (MethodModel method in model.Methods)
        {
            string impulse = method.IsImpulse ? "true" : "false";
            string query = method.IsQuery ? $", true, {Number(method.Parameters.Count)}" : "";
            writer.Line($"        new({Number(method.Id)}, {Names.Quote(method.Name)}, {Names.Quote(SignatureText(method))}, "
                + $"{impulse}{query}),");
        }

        writer.Line("    })");
        writer.Line("{");
        if (model.IsJson)
        {
            writer.Line("    Encoding = global::Ambrosia.WireEncoding.Json,");
        }

        writer.Line($"    Shapes = {Names.Quote(model.Shapes)},");
        writer.Line("};");
        writer.Line();
        writer.Line("/// <inheritdoc/>");
        writer.Line(Names.Hidden);
        writer.Line("protected override global::Ambrosia.ImmortalContract Contract => s_contract;");
    }

    private static void EmitDispatch(SourceWriter writer, InterfaceModel model)
    {
        writer.Line("/// <inheritdoc/>");
        writer.Line(Names.Hidden);
        writer.Open($"protected override void Dispatch(ref {Names.Incoming} call)");
        writer.Open("switch (call.MethodId)");
        for (int i = 0; i < model.Methods.Count; i++)
        {
            writer.Line($"case {Number(model.Methods[i].Id)}:");
            writer.Line($"    {CaseName(model.Methods[i], i)}(ref call);");
            writer.Line("    break;");
        }

        writer.Line("default:");
        writer.Line("    call.UnknownMethod();");
        writer.Line("    break;");
        writer.Close();
        writer.Close();
    }

    // One method per case: a single one would clear the locals of all cases for every message.
    private static void EmitCase(SourceWriter writer, MethodModel method, int ordinal, bool isJson)
    {
        writer.Open($"private void {CaseName(method, ordinal)}(ref {Names.Incoming} call)");
        string source = isJson
            ? $"JsonArguments({string.Join(", ", method.Parameters.Select(static p => Names.Quote(p.Name)))})"
            : "Arguments";
        writer.Line($"{Names.Reader} arguments = call.{source};");
        writer.Line($"arguments.Subject = {Names.Quote(method.Name)};");
        writer.Line($"arguments.ReadArrayHeader({Number(method.Parameters.Count)});");
        for (int i = 0; i < method.Parameters.Count; i++)
        {
            ParameterModel parameter = method.Parameters[i];
            writer.Line($"arguments.Subject = {Names.Quote(method.Name + "." + parameter.Name)};");
            writer.Line($"{parameter.Type} a{Number(i)} = default({parameter.Formatter}).Read(ref arguments);");
        }

        string results = method.ResultType is null ? "" : $"<{method.ResultType}, {method.ResultFormatter}>";
        string arguments = string.Join(", ", Enumerable.Range(0, method.Parameters.Count).Select(static i => "a" + Number(i)));
        writer.Line($"call.Complete{results}({Names.Escape(method.Name)}({arguments}));");
        writer.Close();
    }

    private static string CaseName(MethodModel method, int ordinal) => $"Dispatch{Number(ordinal)}_{method.Name}";

    private static string Number(int value) => value.ToString(CultureInfo.InvariantCulture);
}
