namespace Ambrosia;

/// <summary>
/// Marks a method of an effect interface whose effects begin one after the other: each when the outcome of the one before it was executed
/// from the log.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class OneAtATimeAttribute : Attribute;
