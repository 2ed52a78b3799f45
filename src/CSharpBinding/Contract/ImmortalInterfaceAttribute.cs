namespace Ambrosia;

/// <summary>
/// Marks the interface of an immortal. For <c>IBank</c> the code generator writes, into the same namespace, <c>BankBase</c> (derive your
/// immortal from it) and <c>BankProxy</c> (call the immortal with it). Methods may return <c>void</c>, a value, <c>Task</c> or
/// <c>Task&lt;T&gt;</c>; all four look the same on the wire.
/// </summary>
[AttributeUsage(AttributeTargets.Interface)]
public sealed class ImmortalInterfaceAttribute : Attribute;
