using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Diagnostics;

/// <summary>What an immortal interface may not look like.</summary>
public static class InterfaceRules
{
    public static readonly DiagnosticDescriptor InterfaceIsGeneric = Rule.Error(
        "AMB001",
        "Immortal interface is generic",
        "Interface {0} is generic; an immortal interface has no type parameters, because a message could not say which ones were meant");

    public static readonly DiagnosticDescriptor InterfaceIsNested = Rule.Error(
        "AMB002",
        "Immortal interface is nested",
        "Interface {0} is nested in {1}; declare it directly in a namespace, so that its base class and proxy can stand beside it");

    public static readonly DiagnosticDescriptor InterfaceIsFileLocal = Rule.Error(
        "AMB003",
        "Immortal interface is file-local",
        "Interface {0} is local to its file; make it internal or public, so that generated code can name it");

    public static readonly DiagnosticDescriptor MemberIsNotAMethod = Rule.Error(
        "AMB004",
        "Member of an immortal interface is not a method",
        "{0} is {1}; an immortal interface has methods only, write a method that returns the value instead");

    public static readonly DiagnosticDescriptor MethodIsGeneric = Rule.Error(
        "AMB005",
        "Method of an immortal interface is generic",
        "Method {0} is generic; a message could not say which type was meant, write one method per type");

    public static readonly DiagnosticDescriptor MethodHasBody = Rule.Error(
        "AMB006",
        "Method of an immortal interface is static or has a body",
        "Method {0} is static or has a body; an immortal interface only declares, the class derived from {1} implements");

    public static readonly DiagnosticDescriptor ParameterByReference = Rule.Error(
        "AMB007",
        "Parameter is passed by reference",
        "Parameter '{0}' of {1} is passed by {2}; arguments travel as copies, pass it by value and return what changes");

    public static readonly DiagnosticDescriptor UnsupportedReturnType = Rule.Error(
        "AMB008",
        "Return type is not supported",
        "Method {0} returns {1}; return data, void, Task or Task<T>");

    public static readonly DiagnosticDescriptor CancellationTokenParameter = Rule.Error(
        "AMB009",
        "CancellationToken parameter",
        "Parameter '{0}' of {1} is a CancellationToken, which cannot travel; remove it, a caller limits its wait with "
        + ".WithTimeout(TimeSpan)");

    public static readonly DiagnosticDescriptor MethodIdCollision = Rule.Error(
        "AMB011",
        "Two methods have the same id",
        "Methods {0} and {1} have the same id {2}; give one of them another with [MethodId]");

    public static readonly DiagnosticDescriptor MethodIdOutOfRange = Rule.Error(
        "AMB012",
        "Method id out of range",
        "[MethodId({0})] of {1} is out of range; ids are 1 to 2147483647, the others belong to the runtime");

    public static readonly DiagnosticDescriptor VariantCollision = Rule.Error(
        "AMB013",
        "Two methods become the same on the proxy",
        "Methods {0} and {1} both become {2} on the proxy; rename one of them");

    public static readonly DiagnosticDescriptor GeneratedNameTaken = Rule.Error(
        "AMB014",
        "Name of a generated type is taken",
        "{0} cannot be generated for {1}, because another type has that name; rename the interface or that type");

    public static readonly DiagnosticDescriptor NameOfRuntimeMember = Rule.Error(
        "AMB019",
        "Method has the name of a member of Immortal",
        "Method {0} has the name of a member of {1}; rename it");
}
