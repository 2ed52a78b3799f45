using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Diagnostics;

/// <summary>What the state of an immortal may not hold.</summary>
public static class StateRules
{
    public static readonly DiagnosticDescriptor UnsavableField = Rule.Error(
        "AMB107",
        "Field cannot be saved",
        "{0} cannot be saved: {1}; mark it [NotSaved] and set it anew in BecomingPrimary, or keep plain data");

    public static readonly DiagnosticDescriptor AotNotSupported = Rule.Error(
        "AMB114",
        "Immortals need the just-in-time compiler",
        "{0} is an immortal, which cannot run in an app published with {1}: suspended methods are saved with their fields and code, which "
            + "trimming removes; remove it from the project");

    public static readonly DiagnosticDescriptor BadContinues = Rule.Error(
        "AMB115",
        "[Continues] names no method that fits",
        "[Continues] of {0} names {1}, but the class has no other method of that name with the same parameters and result");

    public static readonly DiagnosticDescriptor PerformerHoldsImmortal = Rule.Error(
        "AMB126",
        "Class that performs effects holds an immortal",
        "{0} performs effects, outside of turns, and {1} is an immortal, whose state belongs to its turns; pass what the effect needs as "
            + "arguments, "
        + "or send an impulse through a proxy");

    public static readonly DiagnosticDescriptor NoParameterlessConstructor = Rule.Error(
        "AMB117",
        "Immortal cannot be made without values",
        "{0} has no public constructor that takes nothing or services only, so it could not be made again after a crash; add one, and keep "
            + "values in fields that handlers set");

    public static readonly DiagnosticDescriptor SavesService = Rule.Error(
        "AMB127",
        "Injected service becomes state",
        "{0} is a service that belongs to this process, and {1} would be saved with the state; keep it in a [NotSaved] field");
}
