namespace Ambrosia.CodeGen.Model;

/// <summary>A formatter for a class, struct or record by its members.</summary>
/// <param name="Type">The type as C#, with nullable annotations.</param>
/// <param name="Name">The formatter's name.</param>
/// <param name="Label">The type in an error text.</param>
/// <param name="IsReference">Whether the type is a class.</param>
/// <param name="IsSealed">Whether a value can only be of exactly this type.</param>
/// <param name="IsArray">Members by position instead of by name: [DataContract] with orders.</param>
/// <param name="Members">The members in wire order.</param>
public sealed record ObjectModel(
    string Type, string Name, string Label, bool IsReference, bool IsSealed, bool IsArray, EquatableArray<MemberModel> Members)
    : FormatterModel(Type, Name, Label, IsReference);
