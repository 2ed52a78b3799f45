using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Diagnostics;

/// <summary>What an effect interface may not look like.</summary>
public static class EffectRules
{
    public static readonly DiagnosticDescriptor AlsoImmortal = Rule.Error(
        "AMB030",
        "Interface of effects is an immortal interface too",
        "Interface {0} is marked [EffectInterface] and [ImmortalInterface]; an immortal is called through its log, effects are performed "
            + "by an ordinary class: use one of them");

    public static readonly DiagnosticDescriptor ReturnsDurableTask = Rule.Error(
        "AMB031",
        "Effect returns a durable task",
        "Method {0} returns {1}; an effect is performed by an ordinary class outside of turns, return Task or Task<T>");

    public static readonly DiagnosticDescriptor SeveralContexts = Rule.Error(
        "AMB032",
        "Effect takes several contexts",
        "Method {0} takes more than one EffectContext; one tells all there is");

    public static readonly DiagnosticDescriptor NoContext = Rule.Warning(
        "AMB033",
        "Effect does not take its id",
        "Method {0} takes no EffectContext, so the receiver cannot tell a repetition by its id; add a parameter of that type, or mark the "
            + "method [Idempotent] if it may be performed twice");

    public static readonly DiagnosticDescriptor RetryIsWrong = Rule.Error(
        "AMB034",
        "[Retry] has a value that cannot be",
        "[Retry({0} = {1})] of {2} is not valid; {3}");

    public static readonly DiagnosticDescriptor NotForEffects = Rule.Error(
        "AMB035",
        "Attribute has no meaning for effects",
        "[{0}] of {1} has no meaning for effects; remove it");

    public static readonly DiagnosticDescriptor MaxPendingIsWrong = Rule.Error(
        "AMB036",
        "Bound of pending effects is not positive",
        "[EffectInterface(MaxPending = {0})] of {1} is not valid; it is at least 1");
}
