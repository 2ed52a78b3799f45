using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.Replay;

/// <summary>A journey through a log with an object of this process.</summary>
public sealed class Replay<T> : IAsyncDisposable
    where T : Immortal
{
    private readonly ReplayLog _log;
    private readonly ObjectApp _app;

    internal Replay(ReplayLog log, ObjectApp app, TimeTraveler traveler) => (_log, _app, Traveler) = (log, app, traveler);

    /// <summary>The immortal as it is at the present position; going back makes another object.</summary>
    public T Immortal => (T)_app.Immortal!;

    /// <summary>Moves: steps, runs, goes back.</summary>
    public TimeTraveler Traveler { get; }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Traveler.DisposeAsync();
        await _app.DisposeAsync();
        await _log.DisposeAsync();
    }
}
