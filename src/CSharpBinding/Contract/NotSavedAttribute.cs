namespace Ambrosia;

/// <summary>
/// Keeps a field out of the immortal's state: it is neither in checkpoints nor in the state hash. After recovery it has the value that
/// the parameterless constructor of its class gives it (default if there is none), so handlers must not let their outputs depend on it.
/// </summary>
[AttributeUsage(AttributeTargets.Field | AttributeTargets.Property)]
public sealed class NotSavedAttribute : Attribute;
