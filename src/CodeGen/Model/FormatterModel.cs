namespace Ambrosia.CodeGen.Model;

/// <summary>A formatter to generate for a type of the user's.</summary>
/// <param name="Type">The type as C#, with nullable annotations.</param>
/// <param name="Name">The formatter's name.</param>
/// <param name="Label">The type in an error text.</param>
/// <param name="IsReference">Whether the type is a class or an interface.</param>
public abstract record FormatterModel(string Type, string Name, string Label, bool IsReference);
