using System.Globalization;
using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Emit;

/// <summary>
/// Writes the class through which handlers ask for the effects of an interface: for each method the Async and Fork variants.
/// </summary>
internal static class EffectsEmitter
{
    private const string Runtime = "global::Ambrosia.Runtime.";

    /// <summary>The file.</summary>
    public static string Emit(InterfaceModel model)
    {
        SourceWriter writer = new();
        if (model.Namespace.Length > 0)
        {
            writer.Open("namespace " + string.Join(".", model.Namespace.Split('.').Select(Names.Escape)));
        }

        writer.Line($"/// <summary>Asks for effects of <see cref=\"{model.DocumentationId}\"/>.</summary>");
        writer.Line(Names.Attributes);
        writer.Open($"{model.Accessibility} sealed class {model.EffectsName} : global::Ambrosia.ImmortalEffects");
        EmitContract(writer, model);
        foreach (MethodModel method in model.Methods)
        {
            writer.Line();
            EmitVariant(writer, method, InterfaceEmitter.TaskOf(method), "Async", "EndEffect");
            writer.Line();
            EmitVariant(writer, method, "void", "Fork", "EndEffectFork");
        }

        for (int i = 0; i < model.Methods.Count; i++)
        {
            writer.Line();
            EmitDecoder(writer, model, model.Methods[i], i);
        }

        writer.Close();
        if (model.Namespace.Length > 0)
        {
            writer.Close();
        }

        return writer.ToString();
    }

    private static void EmitContract(SourceWriter writer, InterfaceModel model)
    {
        writer.Line($"private static readonly {Runtime}EffectContract s_contract = new(");
        writer.Line($"    typeof({TypeOf(model)}),");
        writer.Line($"    {Number(model.MaxPending)},");
        writer.Line($"    new {Runtime}EffectMethod[]");
        writer.Line("    {");
        for (int i = 0; i < model.Methods.Count; i++)
        {
            MethodModel method = model.Methods[i];
            string kind = method.ResultType is null
                ? $"VoidEffectMethod<{TypeOf(model)}>"
                : $"EffectMethod<{TypeOf(model)}, {method.ResultType}, {method.ResultFormatter}>";
            string[] settings =
            [
                .. method.Effect!.Policy is { } policy ? new[] { $"Policy = {policy}" } : [],
                .. method.Effect.OneAtATime ? new[] { "OneAtATime = true" } : [],
            ];
            string braces = settings.Length == 0 ? "" : $" {{ {string.Join(", ", settings)} }}";
            writer.Line($"        new {Runtime}{kind}({Number(method.Id)}, {Names.Quote(method.Name)}, {DecoderName(method, i)}){braces},");
        }

        writer.Line("    });");
        writer.Line();
        writer.Line("/// <inheritdoc/>");
        writer.Line(Names.Hidden);
        writer.Line($"protected override {Runtime}EffectContract Contract => s_contract;");
    }

    private static void EmitVariant(SourceWriter writer, MethodModel method, string returns, string suffix, string verb)
    {
        writer.Line($"/// <inheritdoc cref=\"{method.DocumentationId}\"/>");
        writer.Open($"public {returns} {method.Stem}{suffix}({Signatures.Parameters(method)})");
        writer.Line($"{Names.Outgoing} __call = BeginEffect();");
        writer.Line($"__call.Arguments.WriteArrayHeader({Number(method.Parameters.Count)});");
        foreach (ParameterModel parameter in method.Parameters)
        {
            writer.Line($"default({parameter.Formatter}).Write(ref __call.Arguments, @{parameter.Name});");
        }

        bool answered = suffix == "Async";
        string results = answered && method.ResultType is not null ? $"<{method.ResultType}, {method.ResultFormatter}>" : "";
        writer.Line($"{(answered ? "return " : "")}{verb}{results}(ref __call, {Number(method.Id)});");
        writer.Close();
    }

    private static void EmitDecoder(SourceWriter writer, InterfaceModel model, MethodModel method, int ordinal)
    {
        const string task = "global::System.Threading.Tasks.Task";
        string returns = method.ResultType is null ? task : $"{task}<{method.ResultType}>";
        string signature = $"global::System.Func<{TypeOf(model)}, global::Ambrosia.EffectContext, {returns}>";
        writer.Open($"private static {signature} {DecoderName(method, ordinal)}(ref {Names.Reader} arguments)");
        writer.Line($"arguments.Subject = {Names.Quote(method.Name)};");
        writer.Line($"arguments.ReadArrayHeader({Number(method.Parameters.Count)});");
        for (int i = 0; i < method.Parameters.Count; i++)
        {
            ParameterModel parameter = method.Parameters[i];
            writer.Line($"arguments.Subject = {Names.Quote(method.Name + "." + parameter.Name)};");
            writer.Line($"{parameter.Type} a{Number(i)} = default({parameter.Formatter}).Read(ref arguments);");
        }

        string call = $"performer.{Names.Escape(method.Name)}({string.Join(", ", method.Effect!.CallArguments)})";
        if (method.Effect.IsTask)
        {
            writer.Line($"return (performer, effect) => {call};");
        }
        else if (method.ResultType is not null)
        {
            writer.Line($"return (performer, effect) => {task}.FromResult<{method.ResultType}>({call});");
        }
        else
        {
            writer.Open("return (performer, effect) =>");
            writer.Line($"{call};");
            writer.Line($"return {task}.CompletedTask;");
            writer.Close(";");
        }

        writer.Close();
    }

    private static string TypeOf(InterfaceModel model) =>
        "global::" + string.Join(".", model.FullName.Split('.').Select(Names.Escape));

    private static string DecoderName(MethodModel method, int ordinal) => $"Decode{Number(ordinal)}_{method.Name}";

    private static string Number(int value) => value.ToString(CultureInfo.InvariantCulture);
}
