using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Diagnostics;

/// <summary>What handlers may not do, because it could not be repeated.</summary>
public static class HandlerRules
{
    public static readonly DiagnosticDescriptor NonDeterministic = Rule.Error(
        "AMB101",
        "Result differs when the message is executed again",
        "{0} gives another result when the message is executed again after a crash; {1}");

    public static readonly DiagnosticDescriptor AsyncWithoutDurableTask = Rule.Error(
        "AMB103",
        "Asynchronous method of an immortal does not return DurableTask",
        "{0} is asynchronous and returns {1}; return DurableTask or DurableTask<T>, so that it survives a crash while it waits");

    public static readonly DiagnosticDescriptor ConfiguresAwait = Rule.Error(
        "AMB104",
        "ConfigureAwait in an immortal",
        "ConfigureAwait leaves the immortal's thread; await a DurableTask without it");

    public static readonly DiagnosticDescriptor LeavesTurn = Rule.Error(
        "AMB105",
        "Work leaves the turn",
        "{0} runs code outside of the message being executed, where nothing is logged; {1}");

    public static readonly DiagnosticDescriptor Blocks = Rule.Error(
        "AMB106",
        "Handler blocks",
        "{0} blocks the only thread of the immortal; {1}");

    public static readonly DiagnosticDescriptor WritesStaticState = Rule.Error(
        "AMB109",
        "Static state in an immortal",
        "{0} is static and can change, so it is neither saved nor rebuilt after a crash; make it an instance field");

    public static readonly DiagnosticDescriptor AmbientState = Rule.Error(
        "AMB110",
        "State that flows with the thread",
        "{0} flows with the thread and is lost when a handler is resumed after a crash; pass the value as a parameter or keep "
        + "it in a field");

    public static readonly DiagnosticDescriptor UnorderedSend = Rule.Warning(
        "AMB111",
        "Messages are sent in the order of a hash collection",
        "Messages are sent in the order of a {0}, which is another one after recovery; use {1}, or sort before");

    public static readonly DiagnosticDescriptor QueryWrites = Rule.Error(
        "AMB121",
        "Query changes the state",
        "{0} is a query, which only reads, and writes {1}; leave [Query] away, or do not write");

    public static readonly DiagnosticDescriptor QuerySends = Rule.Error(
        "AMB122",
        "Query sends or waits",
        "{0} is a query, which only reads, and {1}; leave [Query] away, or do without");

    public static readonly DiagnosticDescriptor ImpulseFromHandler = Rule.Error(
        "AMB120",
        "Handler sends an impulse",
        "{0} is called in a handler, but impulses come from the outside world only; use {1}Async or {1}Fork");

    public static readonly DiagnosticDescriptor TouchesUnsaved = Rule.Warning(
        "AMB123",
        "Handler uses what is not saved",
        "{0} is [NotSaved], so after a crash it holds something else when a handler uses it; "
        + "save what handlers need, and let a durable effect (docs/guide/effects.md) or code that BecomingPrimary starts act "
        + "on the outside");

    public static readonly DiagnosticDescriptor Repeats = Rule.Warning(
        "AMB124",
        "Handler uses the console",
        "{0} is executed again with its message after a crash; {1}");

    public static readonly DiagnosticDescriptor DroppedWork = Rule.Error(
        "AMB125",
        "Task that nobody awaits",
        "{0} starts work that nobody awaits, so it is lost with the process and begun again with its message; let a durable effect do it "
        + "(docs/guide/effects.md), or start it from BecomingPrimary");
}
