using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;
using MessagePack;

namespace Ambrosia.Replay;

/// <summary>
/// Replays a log into an object of this process, so that a unit test, with a debugger or without, stands where the instance stood: <c>Bank
/// bank = await ImmortalReplay.From("logs/bank").To&lt;Bank&gt;(4711);</c> The log may be a live instance's; nothing is written there.
/// </summary>
public sealed class ImmortalReplay
{
    private readonly string _folder;
    private readonly ulong? _checkpoint;
    private readonly IFormatterResolver? _resolver;

    private ImmortalReplay(string folder, ulong? checkpoint, IFormatterResolver? resolver) =>
        (_folder, _checkpoint, _resolver) = (folder, checkpoint, resolver);

    /// <summary>The log in this folder: the one that holds <c>log/</c> and <c>checkpoints/</c>.</summary>
    public static ImmortalReplay From(string folder)
    {
        ArgumentException.ThrowIfNullOrEmpty(folder);
        return new ImmortalReplay(folder, null, null);
    }

    /// <summary>Begins at this checkpoint instead of the best one: 0 for a fresh object and record 1.</summary>
    public ImmortalReplay Checkpoint(ulong lsn) => new(_folder, lsn, _resolver);

    /// <summary>What <see cref="ImmortalOptions.Resolver"/> was for the app whose log it is. Without it: the standard one alone.</summary>
    public ImmortalReplay Resolver(IFormatterResolver resolver)
    {
        ArgumentNullException.ThrowIfNull(resolver);
        return new ImmortalReplay(_folder, _checkpoint, resolver);
    }

    /// <summary>The immortal as it was after this record.</summary>
    /// <exception cref="ReplayException">The log does not reach from a checkpoint to there, or the immortal did not survive the
    /// way.</exception>
    public Task<T> To<T>(ulong lsn)
        where T : Immortal, new() => To<T>(Position.After(lsn));

    /// <summary>The immortal as it was after this message.</summary>
    /// <exception cref="ReplayException">The log does not reach from a checkpoint to there, or the immortal did not survive the
    /// way.</exception>
    public async Task<T> To<T>(Position position)
        where T : Immortal, new()
    {
        await using Replay<T> replay = await OpenAsync<T>();
        return await replay.Traveler.GoToAsync(position)
            ? replay.Immortal
            : throw new ReplayException($"The log ends at {replay.Traveler.At}; {position} was asked for.");
    }

    /// <summary>The immortal as it was at the end of the log.</summary>
    public async Task<T> ToEnd<T>()
        where T : Immortal, new()
    {
        await using Replay<T> replay = await OpenAsync<T>();
        await replay.Traveler.RunAsync(static _ => false);
        return replay.Immortal;
    }

    /// <summary>Opens the log for moving to and fro. The caller disposes it.</summary>
    public async Task<Replay<T>> OpenAsync<T>()
        where T : Immortal, new()
    {
        ReplayLog log = await ReplayLog.OpenFolderAsync(_folder, holds: true);
        var app = new ObjectApp(static () => new T(), log.Instance, resolver: _resolver);
        try
        {
            return new Replay<T>(log, app, await TimeTraveler.OpenAsync(log, app, new TravelOptions { Checkpoint = _checkpoint }));
        }
        catch (ReplayException)
        {
            await app.DisposeAsync();
            await log.DisposeAsync();
            throw;
        }
    }
}
