namespace Ambrosia.CodeGen.Model;

/// <summary>A field or property that travels.</summary>
/// <param name="Name">Its name in C#.</param>
/// <param name="Key">Its name on the wire.</param>
/// <param name="Index">Its position on the wire, when members go by position.</param>
/// <param name="Type">Its type as C#.</param>
/// <param name="Formatter">Its formatter as C#.</param>
/// <param name="ConstructorPosition">Which constructor parameter takes it; -1 if none.</param>
/// <param name="Assignment">How it is set otherwise.</param>
/// <param name="Default">Its value, as C#, when it was not sent; null if it must be sent. Constructor arguments only.</param>
public sealed record MemberModel(
    string Name, string Key, int Index, string Type, string Formatter, int ConstructorPosition, MemberAssignment Assignment,
    string? Default);
