using Ambrosia.LogStore;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>An app's life beside its predecessor, as the session that follows goes on with it.</summary>
/// <param name="Inbox">What has read the app's stream so far.</param>
/// <param name="At">The record after which it replaces its predecessor, and whose state it holds.</param>
internal sealed record Continuation(AppInbox Inbox, Lsn At);
