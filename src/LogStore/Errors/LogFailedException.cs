using Ambrosia.LogStore.Files;

namespace Ambrosia.LogStore.Errors;

/// <summary>A write or sync failed earlier in this process: nothing may be appended or acknowledged any more.</summary>
public sealed class LogFailedException(ErrorCode error, string what, string where, Exception? inner = null)
    : LogStoreException(
        error,
        what,
        where,
        "everything acknowledged so far is durable",
        ErrnoAdvice.Or("restart the process: it replays what is readable", inner),
        inner);
