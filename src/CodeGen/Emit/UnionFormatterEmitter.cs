using System.Globalization;
using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Emit;

/// <summary>Writes the formatter of a union: an array of the type's tag and the value.</summary>
internal static class UnionFormatterEmitter
{
    public static void Emit(SourceWriter writer, UnionModel model)
    {
        writer.Open($"public void Write(ref {Names.Writer} writer, {model.Type} value)");
        writer.Open("if (value is null)");
        writer.Line($"writer.ThrowNull({Names.Quote(model.Label)});");
        writer.Close();
        writer.Line();
        writer.Line("writer.Enter();");
        writer.Line("writer.WriteArrayHeader(2);");
        writer.Line("global::System.Type type = value.GetType();");
        string word = "if";
        foreach (UnionCase each in model.Cases)
        {
            writer.Open($"{word} (type == typeof({each.Type}))");
            writer.Line($"writer.WriteInt64({Number(each.Tag)});");
            writer.Line($"default({each.Formatter}).Write(ref writer, ({each.Type})value);");
            writer.Close();
            word = "else if";
        }

        writer.Open("else");
        writer.Line($"writer.ThrowUnknownType({Names.Quote(model.Label)}, type);");
        writer.Close();
        writer.Line();
        writer.Line("writer.Leave();");
        writer.Close();
        writer.Line();
        EmitRead(writer, model);
    }

    private static void EmitRead(SourceWriter writer, UnionModel model)
    {
        writer.Open($"public {model.Type} Read(ref {Names.Reader} reader)");
        writer.Line("reader.Enter();");
        writer.Line("reader.ReadArrayHeader(2);");
        writer.Line("int tag = reader.ReadInt32();");
        writer.Line($"{model.Type} value = default!;");
        writer.Open("switch (tag)");
        foreach (UnionCase each in model.Cases)
        {
            writer.Line($"case {Number(each.Tag)}:");
            writer.Line($"    value = default({each.Formatter}).Read(ref reader);");
            writer.Line("    break;");
        }

        writer.Line("default:");
        writer.Line($"    reader.ThrowUnknownTag({Names.Quote(model.Label)}, tag);");
        writer.Line("    break;");
        writer.Close();
        writer.Line();
        writer.Line("reader.Leave();");
        writer.Line("return value;");
        writer.Close();
    }

    private static string Number(int value) => value.ToString(CultureInfo.InvariantCulture);
}
