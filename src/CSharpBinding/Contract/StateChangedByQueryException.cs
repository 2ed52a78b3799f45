namespace Ambrosia;

/// <summary>
/// A method with <c>[Query]</c> changed the state, which no longer is what the log says. The app ends; started again, it is rebuilt from
/// the log.
/// </summary>
public sealed class StateChangedByQueryException(string method)
    : Exception($"The query {method} changed the state, which is not what the log says any more. The app ends; started again it is "
    + $"rebuilt from the log. A method with [Query] must only read.");
