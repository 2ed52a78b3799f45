using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>A public field or property of a type that travels, before it is known how it is set.</summary>
internal sealed class ObjectMember(ISymbol symbol, ITypeSymbol type)
{
    /// <summary>The field or property.</summary>
    public ISymbol Symbol => symbol;

    /// <summary>Its type.</summary>
    public ITypeSymbol Type => type;

    /// <summary>Its name in C#.</summary>
    public string Name => symbol.Name;

    /// <summary>Whether an object initializer may set it.</summary>
    public bool CanInitialize => symbol switch
    {
        IPropertySymbol property => property.SetMethod is { DeclaredAccessibility: Accessibility.Public },
        IFieldSymbol field => !field.IsReadOnly,
        _ => false,
    };

    /// <summary>Whether it may be set after construction.</summary>
    public bool CanAssign => CanInitialize && symbol is not IPropertySymbol { SetMethod.IsInitOnly: true };

    /// <summary>Whether an object initializer must set it.</summary>
    public bool IsRequired => symbol is IPropertySymbol { IsRequired: true } or IFieldSymbol { IsRequired: true };

    /// <summary>A property whose value is computed from others, so that nothing is lost when it does not travel.</summary>
    public bool IsComputed => symbol is IPropertySymbol { SetMethod: null } property && !property.ContainingType.GetMembers()
        .OfType<IFieldSymbol>().Any(field => SymbolEqualityComparer.Default.Equals(field.AssociatedSymbol, property));

    /// <summary>The [DataMember] attribute, if there is one.</summary>
    public AttributeData? DataMember => symbol.GetAttributes().FirstOrDefault(static a =>
        a.AttributeClass?.ToDisplayString() == "System.Runtime.Serialization.DataMemberAttribute");

    /// <summary>Whether the user keeps it from travelling.</summary>
    public bool IsIgnored => symbol.GetAttributes().Any(static a => a.AttributeClass?.ToDisplayString()
        is "System.Runtime.Serialization.IgnoreDataMemberAttribute" or "System.NonSerializedAttribute");
}
