namespace Ambrosia;

/// <summary>
/// The process stopped acting for the immortal before the handler of an impulse had ended. If the impulse was logged it is executed after
/// recovery, otherwise never: ask the immortal's state, or make the impulse repeatable by giving it an id.
/// </summary>
public sealed class ImpulseOutcomeUnknownException()
    : Exception("The outcome of the impulse is unknown: the connection to the coordinator ended before its handler did.");
