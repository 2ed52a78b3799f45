namespace Ambrosia.Coordinator.Checkpoints;

/// <summary>An app that was about to act began with an older checkpoint than there is now: it begins again, with that one.</summary>
internal sealed class NewerCheckpointException(string message) : Exception(message);
