namespace Ambrosia;

/// <summary>This app was to take the place of another and did not: the other goes on serving. The message says why.</summary>
/// <param name="code">Code of the coordinator (docs/operate/errors.md).</param>
/// <param name="reason">Reason, for people.</param>
public sealed class UpgradeFailedException(string code, string reason) : BindingRefusedException(code, reason);
