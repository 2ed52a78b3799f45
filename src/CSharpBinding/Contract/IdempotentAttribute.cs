namespace Ambrosia;

/// <summary>
/// Marks a method of an effect interface that may be performed twice without harm although it does not take an <see cref="EffectContext"/>.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class IdempotentAttribute : Attribute;
