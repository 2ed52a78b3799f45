namespace Ambrosia.Coordinator.Sessions;

/// <summary>What an app says its state is.</summary>
/// <param name="Lsn">The record after which it is so.</param>
/// <param name="Json">The app's own words, as JSON.</param>
public sealed record AppState(ulong Lsn, string Json);
