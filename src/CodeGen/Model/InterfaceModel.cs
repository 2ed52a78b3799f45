namespace Ambrosia.CodeGen.Model;

/// <summary>An immortal interface or one of effects: all that is generated for it is made of.</summary>
/// <param name="Namespace">Its namespace; empty for the global one.</param>
/// <param name="Name">Its name.</param>
/// <param name="Accessibility"><c>public</c> or <c>internal</c>.</param>
/// <param name="DocumentationId">Where its documentation comment is found.</param>
/// <param name="Methods">Its methods, inherited ones included, in the order of their ids.</param>
public sealed record InterfaceModel(
    string Namespace, string Name, string Accessibility, string DocumentationId, EquatableArray<MethodModel> Methods)
{
    /// <summary>Whether its arguments and results are sent as JSON.</summary>
    public bool IsJson { get; init; }

    /// <summary>What its methods take and return, as JSON; empty for one of effects.</summary>
    public string Shapes { get; init; } = "";

    /// <summary>Whether it is an interface of effects.</summary>
    public bool IsEffects { get; init; }

    /// <summary>Effects of it that one immortal may have pending.</summary>
    public int MaxPending { get; init; }

    /// <summary>The name without the leading I: what the generated types are called after.</summary>
    public string Stem => Name.Length > 1 && Name[0] == 'I' && char.IsUpper(Name[1]) ? Name.Substring(1) : Name;

    /// <summary>The name of the generated base class.</summary>
    public string BaseName => Stem + "Base";

    /// <summary>The name of the generated proxy.</summary>
    public string ProxyName => Stem + "Proxy";

    /// <summary>The name of the generated client of ordinary processes.</summary>
    public string ClientName => Stem + "Client";

    /// <summary>The name of the generated class that asks for effects.</summary>
    public string EffectsName => Stem + "Effects";

    /// <summary>Name with namespace.</summary>
    public string FullName => Namespace.Length == 0 ? Name : Namespace + "." + Name;
}
