using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Diagnostics;

/// <summary>What methods that return durable tasks may not do.</summary>
public static class AwaitRules
{
    public static readonly DiagnosticDescriptor AwaitsNonDurable = Rule.Error(
        "AMB102",
        "Awaits something that does not survive a crash",
        "{0} cannot be awaited here, because it does not survive a crash; {1}");

    public static readonly DiagnosticDescriptor UnsavableLocal = Rule.Error(
        "AMB108",
        "Local cannot be saved",
        "'{0}' may be alive while the method waits, but {1}; use it in a method of its own that does not await");

    public static readonly DiagnosticDescriptor LostUpdate = Rule.Warning(
        "AMB112",
        "Value is read before the await",
        "{0} is read before the await and written after it, so what other handlers write meanwhile is lost; await into a local first");

    public static readonly DiagnosticDescriptor DroppedTask = Rule.Error(
        "AMB113",
        "Durable task is dropped",
        "The result of {0} is dropped and so are its errors; await it{1}");

    public static readonly DiagnosticDescriptor EnumeratorOverAwait = Rule.Error(
        "AMB116",
        "Enumeration cannot be saved",
        "The loop awaits while it enumerates {0}, whose position cannot be saved; iterate over a copy: {1}.ToArray()");

    public static readonly DiagnosticDescriptor MutableStruct = Rule.Warning(
        "AMB118",
        "Asynchronous method of a struct that can change",
        "{0} works on a copy of the struct once it has awaited, so its changes are lost; make the struct readonly or a class");
}
