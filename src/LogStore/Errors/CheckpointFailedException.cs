using Ambrosia.LogStore.Files;

namespace Ambrosia.LogStore.Errors;

/// <summary>A checkpoint could not be written. The older ones stay, the log goes on; try again later.</summary>
public sealed class CheckpointFailedException(string what, string where, Exception? inner = null)
    : LogStoreException(
        StoreErrors.CheckpointFailed,
        what,
        where,
        "older checkpoints and the whole log are untouched",
        ErrnoAdvice.Or("free space or repair the device; the next attempt is made with back-off", inner),
        inner);
