using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Emit;

/// <summary>Parameter lists of generated methods.</summary>
internal static class Signatures
{
    public static string Parameters(MethodModel method) => string.Join(", ", method.Parameters.Select(static p =>
        (p.IsParams ? "params " : "") + p.Type + " @" + p.Name + (p.Default is null ? "" : " = " + p.Default)));
}
