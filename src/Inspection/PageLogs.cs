namespace Ambrosia.Inspection;

/// <summary>The log that a page is for, and those of its peers, which are opened when somebody follows a message there.</summary>
/// <param name="main">Opens the log that the page is for.</param>
/// <param name="names">Names of all logs that can be opened.</param>
/// <param name="open">Opens one of them; null when there is none.</param>
public sealed class PageLogs(Func<ValueTask<PageLog>> main, Func<IReadOnlyList<string>> names,
    Func<string, ValueTask<PageLog?>> open) : IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1, 1);
    private readonly Dictionary<string, PageLog> _others = new(StringComparer.Ordinal);
    private PageLog? _main;

    /// <summary>Only one log.</summary>
    /// <param name="main">Opens it.</param>
    /// <param name="folder">Folder of the instance; null if its store is none.</param>
    public static PageLogs Of(Func<ValueTask<PageLog>> main, string? folder = null) =>
        new(main, static () => [], static _ => ValueTask.FromResult<PageLog?>(null)) { Folder = folder };

    /// <summary>Where the main log lies; null if that is no folder.</summary>
    public string? Folder { get; private init; }

    /// <summary>Names of logs that can be opened besides the main one.</summary>
    public IReadOnlyList<string> Names => names();

    /// <summary>The log of an instance, or the main one when none is named; null when there is none.</summary>
    public async ValueTask<PageLog?> FindAsync(string? instance, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            _main ??= await main();
            if (string.IsNullOrEmpty(instance) || instance == _main.Instance)
            {
                return _main;
            }

            if (!_others.TryGetValue(instance, out PageLog? log) && await open(instance) is { } opened)
            {
                _others.Add(instance, log = opened);
            }

            return log;
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (PageLog log in _others.Values.Append(_main).OfType<PageLog>())
        {
            await log.DisposeAsync();
        }

        _gate.Dispose();
    }
}
