namespace Ambrosia.Runtime;

/// <summary>
/// A scope that a handler began on its log. It ends with the turn at the latest, because the next turn is that of another message. A
/// handler may keep it over an await, as in a using statement: as a part of the state it is nothing.
/// </summary>
/// <param name="provider">What the log's providers keep; null where none does, or while messages are executed again.</param>
internal sealed class LogScope(IDisposable? provider) : IDisposable
{
    [NotSaved]
    private IDisposable? _provider = provider;

    /// <summary>True until it has ended.</summary>
    public bool IsOpen => _provider is not null;

    /// <inheritdoc/>
    public void Dispose()
    {
        _provider?.Dispose();
        _provider = null;
    }
}
