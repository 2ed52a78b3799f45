namespace Ambrosia.Link;

/// <summary>What an app says of itself when it attaches.</summary>
/// <param name="Instance">Instance that it wants to be; "" for whatever the coordinator serves.</param>
/// <param name="AppVersion">Version of the app, for people.</param>
/// <param name="BuildFingerprint">Identifies the build: suspended methods are resumed by the same build only.</param>
/// <param name="Token">Secret of the binding link, or "".</param>
/// <param name="Incarnation">Random id of this connection.</param>
internal sealed record SessionIdentity(string Instance, string AppVersion, string BuildFingerprint, string Token, Guid Incarnation);
