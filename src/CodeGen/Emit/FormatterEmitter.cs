using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Emit;

/// <summary>Writes the file of one formatter for a type of the user's.</summary>
public static class FormatterEmitter
{
    /// <summary>The file.</summary>
    public static string Emit(FormatterModel model)
    {
        SourceWriter writer = new();
        writer.Open("namespace Ambrosia.Generated");
        writer.Line(Names.Attributes);
        writer.Line(Names.Hidden);
        writer.Open($"internal readonly struct {model.Name} : global::Ambrosia.Serialization.IFormatter<{model.Type}>");
        if (model is UnionModel union)
        {
            UnionFormatterEmitter.Emit(writer, union);
        }
        else if (model is ObjectModel known)
        {
            ObjectFormatterEmitter.EmitWrite(writer, known);
            writer.Line();
            ObjectFormatterEmitter.EmitRead(writer, known);
        }

        writer.Close();
        writer.Close();
        return writer.ToString();
    }
}
