namespace Ambrosia;

/// <summary>A handler of a fork or an impulse failed and the fault policy is to stop (<c>--on-fault stop</c>).</summary>
/// <param name="position">LSN and index of the message.</param>
/// <param name="method">Name of the method.</param>
/// <param name="error">What the handler threw.</param>
public sealed class HandlerFaultException(string position, string method, Exception error)
    : Exception($"The handler of {method} failed at {position}: {error.GetType().FullName}: {error.Message}{UserFrames.Of(error)}",
        error);
