namespace Ambrosia.Coordinator.Sessions;

/// <summary>There is nobody to ask: the instance starts, has no app, or stops. Another time there will be.</summary>
/// <param name="phase">What it does instead.</param>
/// <param name="safe">What became of the request.</param>
public sealed class NotServingException(string phase, string safe = NotServingException.NothingChanged)
    : InvalidOperationException(
        $"{ProcessErrors.NotServing} nobody can answer that now | {phase} | {safe} | ask again when GET /readyz answers 200")
{
    /// <summary>For requests that never came to anybody.</summary>
    public const string NothingChanged = "nothing was changed";
}
