using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Diagnostics;

/// <summary>What a parameter or result may not look like.</summary>
public static class TypeRules
{
    public static readonly DiagnosticDescriptor CannotBeSent = Rule.Error(
        "AMB010",
        "Type cannot be sent",
        "{0} cannot be sent: {1}");

    public static readonly DiagnosticDescriptor MemberCannotBeSet = Rule.Error(
        "AMB015",
        "Member would be lost",
        "{0} is sent but could not be set where it arrives; add an init accessor or a constructor parameter of its name and type, or mark "
        + "it [IgnoreDataMember]");

    public static readonly DiagnosticDescriptor NoConstructor = Rule.Error(
        "AMB016",
        "No constructor can be used",
        "{0} has no public constructor whose parameters all have the name and type of a member; add one, or a parameterless one");

    public static readonly DiagnosticDescriptor DataContractOrder = Rule.Error(
        "AMB017",
        "Orders of a data contract do not fit",
        "{0}: {1}");

    public static readonly DiagnosticDescriptor BadUnion = Rule.Error(
        "AMB018",
        "Union is not valid",
        "[Union({0}, typeof({1}))] of {2} is not valid: {3}");

    public static readonly DiagnosticDescriptor BadResolver = Rule.Error(
        "AMB025",
        "Resolver is not valid",
        "[Resolver(typeof({0}))] of {1} is not valid: {2}");

    public static readonly DiagnosticDescriptor MarkedMemberLost = Rule.Warning(
        "AMB026",
        "Marked member would be lost",
        "{0} {1}");
}
