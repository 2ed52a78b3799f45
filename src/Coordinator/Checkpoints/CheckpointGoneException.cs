using Ambrosia.Coordinator.Errors;

namespace Ambrosia.Coordinator.Checkpoints;

/// <summary>
/// A checkpoint was whole when it was chosen, and could not be read to its end: a service does not keep for readers what was released or
/// replaced meanwhile.
/// </summary>
internal sealed class CheckpointGoneException(string file, Exception inner) : CoordinatorException(
    StoreErrors.CheckpointReleased, "a checkpoint was released or replaced while it was read", file,
    "newer checkpoints and the log are untouched", "start again: it begins with the newest checkpoint", inner);
