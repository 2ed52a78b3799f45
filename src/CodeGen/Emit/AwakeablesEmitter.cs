using System.Globalization;
using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Emit;

/// <summary>Writes what names the types of awakeables before any handler runs.</summary>
public static class AwakeablesEmitter
{
    /// <summary>The file's name.</summary>
    public const string FileName = "Awakeables.g.cs";

    /// <summary>The file.</summary>
    public static string Emit(IEnumerable<AwakeableModel> types)
    {
        SourceWriter writer = new();
        writer.Open("namespace Ambrosia.Generated");
        writer.Line(Names.Attributes);
        writer.Line(Names.Hidden);
        writer.Open("internal static class Awakeables");
        writer.Line("[global::System.Runtime.CompilerServices.ModuleInitializer]");
        writer.Open("internal static void Name()");
        foreach (AwakeableModel type in types)
        {
            string id = type.Id.ToString(CultureInfo.InvariantCulture);
            writer.Line($"global::Ambrosia.Runtime.AwakeableTypes.Add<{type.Type}, {type.Formatter}>("
                + $"{id}, {Names.Quote(type.Name)}, {Names.Quote(type.Shape)});");
        }

        writer.Close();
        writer.Close();
        writer.Close();
        return writer.ToString();
    }
}
