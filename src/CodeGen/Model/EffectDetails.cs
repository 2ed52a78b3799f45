namespace Ambrosia.CodeGen.Model;

/// <summary>What a method of an effect interface has beyond one of an immortal interface.</summary>
/// <param name="CallArguments">The arguments of the call as C#, in the method's order: <c>a0</c> and so on, and <c>effect</c> for the
/// context.</param>
/// <param name="IsTask">Whether the method returns a task rather than the result itself.</param>
/// <param name="Policy">How it is tried again, as C#; null for the default.</param>
/// <param name="OneAtATime">Whether each waits for the outcome of the one before it.</param>
public sealed record EffectDetails(EquatableArray<string> CallArguments, bool IsTask, string? Policy, bool OneAtATime);
