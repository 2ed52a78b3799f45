namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// What the app that acts has told of its methods (docs/internals/shapes.md). It stays while the app is away: a call from outside may enter
/// the log then. Read from any thread.
/// </summary>
public sealed class AppShapes
{
    private volatile string? _text;

    /// <summary>JSON; null while no app has told.</summary>
    public string? Text => _text;

    /// <summary>Raised when an app has told, in the thread of the core: what takes its time is done in another one.</summary>
    public event Action? Told;

    /// <summary>An app has become the primary's, and tells.</summary>
    public void Tell(string text)
    {
        _text = text;
        Told?.Invoke();
    }
}
