using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Diagnostics;

/// <summary>What the contract file says about the interfaces.</summary>
public static class ContractRules
{
    public static readonly DiagnosticDescriptor MethodGone = Rule.Error(
        "AMB020",
        "Method of the contract is gone",
        "The contract lists {0} with id {1}, but {2} has no such method; messages that carry it are refused: bring it back, "
        + "beside the one that has other parameters if there is one; give the method [MethodId({1})] if it was only renamed; "
        + "or remove the line once no message can carry it");

    public static readonly DiagnosticDescriptor IdChanged = Rule.Error(
        "AMB021",
        "Method id changed",
        "{0} has id {1} in the contract but {2} now; write [MethodId({1})]");

    public static readonly DiagnosticDescriptor ResultChanged = Rule.Error(
        "AMB022",
        "Result of a method changed",
        "{0} returns {1} in the contract but {2} now; callers that were built before would not understand the answer: add a method of "
        + "another name instead");

    public static readonly DiagnosticDescriptor MethodNotListed = Rule.Warning(
        "AMB023",
        "Method is missing in the contract",
        "{0} is not in the contract yet; build the project where AmbrosiaWriteContract is not false, "
        + "or run 'ambrosia-codegen contract', and commit the line");

    public static readonly DiagnosticDescriptor ParametersChanged = Rule.Error(
        "AMB027",
        "Number of a method's parameters changed",
        "{0} has id {1} in the contract, which {2} has now with another number of parameters; messages with the old ones could not be read"
        + ": let the old method stand beside the new one, which has an id of its own without [MethodId({1})]");

    public static readonly DiagnosticDescriptor BadLine = Rule.Error(
        "AMB024",
        "Line of the contract cannot be read",
        "Line {0} of the contract cannot be read: '{1}'; a line is: interface, id, signature -> result");
}
