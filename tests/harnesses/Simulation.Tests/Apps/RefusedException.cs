namespace Ambrosia.Simulation.Tests;

/// <summary>A handler's refusal. Without a stack trace: its text depends on what the just-in-time compiler has inlined, and it travels in
/// the reply.</summary>
public sealed class RefusedException(string message) : Exception(message)
{
    public override string? StackTrace => null;
}
