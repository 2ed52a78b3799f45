using Microsoft.CodeAnalysis.CSharp;

namespace Ambrosia.CodeGen.Emit;

/// <summary>Names of runtime types in generated code, and names made safe for it.</summary>
internal static class Names
{
    public const string Task = "global::Ambrosia.DurableTask";
    public const string Reader = "global::Ambrosia.Serialization.MessagePackReader";
    public const string Writer = "global::Ambrosia.Serialization.MessagePackWriter";
    public const string Outgoing = "global::Ambrosia.Runtime.OutgoingCall";
    public const string Incoming = "global::Ambrosia.Runtime.IncomingCall";
    public const string Attributes = "[global::System.CodeDom.Compiler.GeneratedCode(\"Ambrosia.CodeGen\", null)]";
    public const string Hidden =
        "[global::System.ComponentModel.EditorBrowsable(global::System.ComponentModel.EditorBrowsableState.Never)]";

    /// <summary>A name that may be a keyword.</summary>
    public static string Escape(string name) =>
        SyntaxFacts.GetKeywordKind(name) != SyntaxKind.None || SyntaxFacts.GetContextualKeywordKind(name) != SyntaxKind.None ? "@" + name
        : name;

    /// <summary>Text as a C# string.</summary>
    public static string Quote(string text) => SymbolDisplay.FormatLiteral(text, quote: true);
}
