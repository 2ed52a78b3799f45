using TimeTravelApp;

namespace Ambrosia.Cli.Tests.History;

/// <summary>The log of a deterministic dice that many tests read: made once.</summary>
public sealed class SteadyDice : IAsyncLifetime, IDisposable
{
    private DiceLog? _log;

    public DiceLog Log => _log!;

    /// <summary>The app that made it, as words of a command line.</summary>
    public static string[] App => DiceLog.Program(Fickleness.None).Split(' ');

    public async Task InitializeAsync() => _log = await DiceLog.MakeAsync(Fickleness.None);

    public Task DisposeAsync() => Task.CompletedTask;

    public void Dispose() => _log?.Dispose();
}
