using System.Runtime.ExceptionServices;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// Failures of the process, which say nothing about the message that was being executed: memory or stack ran out, the thread was
/// interrupted. A replay would not repeat them, so they must not become part of history: neither an answer nor the state may depend on
/// one. The process ends instead, and the message is executed again by the next one.
/// </summary>
internal static class ProcessFailure
{
    /// <summary>
    /// True for such a failure, and for what it caused: an exception that has one inside. A type initializer that ran out of memory, for
    /// one, fails in this process for ever, and in no other. What a build lacks (a type, a library) is none of them: the same build lacks
    /// it at every replay.
    /// </summary>
    public static bool Is(Exception error)
    {
        for (Exception? inner = error; inner is not null; inner = inner.InnerException)
        {
            if (inner is OutOfMemoryException or InsufficientExecutionStackException or AccessViolationException
                or ThreadInterruptedException or ThreadAbortException
                || (inner is AggregateException several && several.InnerExceptions.Skip(1).Any(Is)))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// False for failures of the process itself, which would not happen again at replay and so must not become part of history.
    /// </summary>
    public static bool IsHandlers(Exception error) =>
        error is not (HandlerFaultException or LinkClosedException or ProtocolException or BuildRefusedException) && !Is(error);

    /// <summary>Called where an exception would become a result. Rethrows what must not become one, and has the present turn end the
    /// process even if a handler catches that.</summary>
    public static void ThrowIfNotHandlers(Exception error)
    {
        if (!IsHandlers(error))
        {
            Turn.Current?.EndWith(error);
            ExceptionDispatchInfo.Throw(error);
        }
    }
}
