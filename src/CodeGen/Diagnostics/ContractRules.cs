using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Diagnostics;

/// <summary>What the contract file says about the interfaces.</summary>
public static class ContractRules
{
    public static readonly DiagnosticDescriptor MethodGone = Rule.Error(
        "AMB020",
        "Method of the contract is gone",
        "The contract lists {0} with id {1}, but {2} has no such method; messages that carry it are refused: bring it back, give the "
        + "renamed method [MethodId({1})], or remove the line once no message can carry it");

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

    public static readonly DiagnosticDescriptor BadLine = Rule.Error(
        "AMB024",
        "Line of the contract cannot be read",
        "Line {0} of the contract cannot be read: '{1}'; a line is: interface, id, signature -> result");
}
