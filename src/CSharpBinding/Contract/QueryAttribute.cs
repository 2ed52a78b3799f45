namespace Ambrosia;

/// <summary>
/// Marks a method of an immortal interface that only reads: it may be asked from outside by <c>ambrosia query</c> or at the coordinator's
/// admin address, of the primary and of secondaries. Such a question is not logged and is answered between two records, whose number
/// stands with the answer. The handler changes nothing, sends nothing and waits for nothing. Other immortals may call it as any other
/// method, through the log.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class QueryAttribute : Attribute;
