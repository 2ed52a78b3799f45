using System.Text.Json;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel.Link;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Debugging;

/// <summary>
/// Moves an app forwards and backwards through its log. A position says which message was executed last; going back loads the nearest
/// known state into a fresh object of the same process and replays from there. Not for use by two threads at once.
/// </summary>
public sealed class TimeTraveler : IAsyncDisposable
{
    private const int MostAttempts = 5;
    private readonly ReplayLog _log;
    private readonly IReplayApp _app;
    private readonly StateCache _cache;
    private readonly CachePacing _pacing;
    private readonly MessageCounts _counts;
    private readonly ulong _floor;
    private ReplaySession? _session;
    private LoggedRecord? _record;
    private int _next;
    private bool _worked;
    private TurnOutputs? _lastOutputs;

    private TimeTraveler(ReplayLog log, IReplayApp app, TravelOptions options, ulong floor)
    {
        (_log, _app, _floor) = (log, app, floor);
        _cache = new StateCache(options.CacheBytes);
        _pacing = new CachePacing(options.Time, _cache);
        _counts = new MessageCounts(log);
        At = Position.After(floor);
    }

    /// <summary>The log that is travelled through.</summary>
    public ReplayLog Log => _log;

    /// <summary>The message executed last, or the checkpoint begun at.</summary>
    public Position At { get; private set; }

    /// <summary>Where the journey can begin: the checkpoint chosen.</summary>
    public Position Start => Position.After(_floor);

    /// <summary>States kept to come back to.</summary>
    public int CachedStates => _cache.Count;

    /// <summary>False for an app that can only be stopped between records.</summary>
    public bool StopsInsideRecords => _session!.TakesParts;

    /// <summary>Starts the app, and puts it where the journey begins.</summary>
    /// <exception cref="ReplayException">There is no such checkpoint, or the app does not come.</exception>
    public static async Task<TimeTraveler> OpenAsync(ReplayLog log, IReplayApp app, TravelOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        options ??= new TravelOptions();
        for (int attempt = 1; ; attempt++)
        {
            var traveler = new TimeTraveler(log, app, options, options.Checkpoint ?? await log.FindBeginningAsync());
            try
            {
                await traveler.RestartAsync(traveler.Start, cancellationToken);
                return traveler;
            }
            catch (RecordsGoneException) when (options.Checkpoint is null && attempt < MostAttempts)
            {
                // A live instance has deleted it meanwhile, in a store where it cannot be held.
                await traveler.DisposeAsync();
                await log.RefreshAsync();
            }
            catch (Exception error) when (error is ReplayException or OperationCanceledException)
            {
                await traveler.DisposeAsync();
                throw;
            }
        }
    }

    /// <summary>The message that comes next; null at the end of the log.</summary>
    public async Task<LoggedMessage?> PeekAsync() => await MoveToNextRecordAsync() is { } record ? record[_next] : null;

    /// <summary>Executes the next message; false at the end of the log.</summary>
    public async Task<bool> StepAsync()
    {
        if (await MoveToNextRecordAsync() is not { } record)
        {
            return false;
        }

        await ExecuteAsync(record, StopsInsideRecords ? 1 : record.Count - _next, keep: true);
        return true;
    }

    /// <summary>Executes messages until one comes that is to be stopped at, or the log ends; that message is next then.</summary>
    /// <param name="stopAt">Asked for each message before it is executed, the present one excepted.</param>
    /// <param name="cancellationToken">Stops where it is.</param>
    /// <returns>True if there was such a message.</returns>
    public async Task<bool> RunAsync(Func<LoggedMessage, bool> stopAt, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(stopAt);
        bool first = true;
        while (!cancellationToken.IsCancellationRequested && await MoveToNextRecordAsync() is { } record)
        {
            int end = _next;
            while (end < record.Count && ((first && end == _next) || !stopAt(record[end])))
            {
                end++;
            }

            first = false;
            bool found = end < record.Count;
            if (end > _next)
            {
                await SendAsync(record, found && !StopsInsideRecords ? record.Count - _next : end - _next);
            }

            if (found)
            {
                await ArriveAsync();
                return true;
            }
        }

        await ArriveAsync();
        return false;
    }

    /// <summary>Executes messages one by one until the state is as wanted; false if it never is.</summary>
    public async Task<bool> RunUntilStateAsync(Func<LoggedMessage, JsonElement, bool> wanted, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(wanted);
        while (!cancellationToken.IsCancellationRequested && await PeekAsync() is { } message)
        {
            await StepAsync();
            using JsonDocument state = await StateAsync();
            if (wanted(message, state.RootElement))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Goes to a position, forwards or backwards: that message is the last one executed.</summary>
    /// <returns>False if the log ended before; then this is its end.</returns>
    /// <exception cref="ReplayException">It lies before the checkpoint begun at.</exception>
    public async Task<bool> GoToAsync(Position target, CancellationToken cancellationToken = default)
    {
        if (target < Start)
        {
            throw new ReplayException(
                $"{target} lies before {Start}, where this journey begins; checkpoints are kept at {string.Join(", ", _log.Checkpoints)}.");
        }

        Position best = BestStart(target);
        if (_session is null || target < At || (best > At && IsWorthIt(At, best)))
        {
            await RestartAtBestAsync(target, cancellationToken);
        }

        return await ForwardAsync(target, cancellationToken);
    }

    /// <summary>Goes back by this many messages; false if it ended at the beginning, because there were not so many.</summary>
    public async Task<bool> BackAsync(long messages, CancellationToken cancellationToken = default)
    {
        Position? target = await _counts.BackAsync(At, messages, _floor);
        await GoToAsync(target ?? Start, cancellationToken);
        return target is not null;
    }

    /// <summary>The state as the app tells it; the caller disposes it.</summary>
    public async Task<JsonDocument> StateAsync() => JsonDocument.Parse(await _session!.StateAsync(hashOnly: false));

    /// <summary>
    /// The hash of the state, equal to that of the live instance at the same position; null when the state cannot be saved.
    /// </summary>
    public async Task<string?> StateHashAsync()
    {
        using JsonDocument answer = JsonDocument.Parse(await _session!.StateAsync(hashOnly: true));
        return answer.RootElement.GetProperty("stateHash").GetString();
    }

    /// <summary>
    /// What the message executed last made: outputs, faults, difference of the state. Null at the beginning. It is executed again for
    /// this.
    /// </summary>
    public async Task<MessageEffect?> ExamineAsync(CancellationToken cancellationToken = default)
    {
        if (At.Index == Position.WholeRecord)
        {
            return null;
        }

        Position here = At;
        Position before = await _counts.BackAsync(here, 1, _floor) ?? Start;
        await GoToAsync(before, cancellationToken);
        using JsonDocument old = await StateAsync();
        LoggedMessage message = await PeekAsync() ?? throw new ReplayException($"{here} is no longer there.");
        await StepAsync();
        using JsonDocument now = await StateAsync();
        return new MessageEffect(
            message, SentMessage.From(_lastOutputs!), [.. _lastOutputs!.Faults], [.. _lastOutputs.Effects],
            StateDifference.Between(old.RootElement, now.RootElement));
    }

    /// <summary>What the last <see cref="StepAsync"/> made the app send; empty after any other move.</summary>
    public IReadOnlyList<SentMessage> LastOutputs => _lastOutputs is null ? [] : SentMessage.From(_lastOutputs);

    /// <summary>What handlers threw in the last <see cref="StepAsync"/>, if nobody waits for it; empty after any other move.</summary>
    public IReadOnlyList<AppFault> LastFaults => _lastOutputs?.Faults ?? [];

    /// <summary>Effects that the last <see cref="StepAsync"/> asked for; empty after any other move.</summary>
    public IReadOnlyList<EffectAsked> LastEffects => _lastOutputs?.Effects ?? [];

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_session is not null)
        {
            await _session.DisposeAsync();
        }

        _cache.Dispose();
    }

    // A load and a new connection cost about as much as a few thousand messages: for less it is not worth going elsewhere.
    private static bool IsWorthIt(Position from, Position to) => to.Lsn > from.Lsn + 64;

    private Position BestStart(Position target)
    {
        ulong logged = _log.Checkpoints.Where(lsn => lsn >= _floor && Position.After(lsn) <= target).DefaultIfEmpty(_floor).Max();
        return _cache.Nearest(target) is { } cached && cached.At > Position.After(logged) ? cached.At : Position.After(logged);
    }

    private async Task RestartAtBestAsync(Position target, CancellationToken cancellationToken)
    {
        Position best = BestStart(target);
        try
        {
            await RestartAsync(best, cancellationToken);
        }
        catch (RecordsGoneException)
        {
            await _log.RefreshAsync(); // A live instance has deleted it meanwhile.
            Position next = BestStart(target);
            if (next == best)
            {
                throw;
            }

            await RestartAsync(next, cancellationToken);
        }
    }

    private async Task RestartAsync(Position at, CancellationToken cancellationToken)
    {
        if (_session is { } old)
        {
            _session = null;
            await old.DisposeAsync();
        }

        _pacing.Forget();
        _session = await ReplaySession.OpenAsync(_app, _log, cancellationToken);
        (At, _record, _next, _lastOutputs, _worked) = (at, null, 0, null, false);
        if (at.Index != Position.WholeRecord)
        {
            await _session.LoadAsync(_cache.Nearest(at)!.Value.State, at.Lsn);
            _record = await _log.ReadAsync(at.Lsn) ?? throw new ReplayException($"Record {at.Lsn} is no longer there.");
            _counts.See(_record);
            _next = at.Index + 1;
        }
        else if (await _log.OpenCheckpointAsync(at.Lsn) is { } image)
        {
            await using LoggedState state = await LoggedState.OpenAsync(image);
            await _session.LoadAsync(state, at.Lsn);
        }
        else if (at.Lsn > 0)
        {
            throw _log.NoCheckpoint(at.Lsn);
        }

        await _session.SettleAsync(); // A look at the object must show the state now, not what it was born with.
    }

    private async Task<bool> ForwardAsync(Position target, CancellationToken cancellationToken)
    {
        while (At < target && !cancellationToken.IsCancellationRequested)
        {
            if (await MoveToNextRecordAsync() is not { } record || record.Lsn > target.Lsn)
            {
                break;
            }

            int end = record.Lsn < target.Lsn || !StopsInsideRecords ? record.Count : (int)Math.Min(record.Count, target.Index + 1L);
            if (end <= _next)
            {
                break;
            }

            await SendAsync(record, end - _next);
        }

        await ArriveAsync();
        return At.Lsn > target.Lsn || (At.Lsn == target.Lsn && (At.Index >= target.Index || target.Index == Position.WholeRecord))
            || await EndsBeforeAsync(target);
    }

    // Records without messages are skipped: to be after one is to be at it.
    private async Task<bool> EndsBeforeAsync(Position target) =>
        await _log.ReadAsync(target.Lsn) is { } record && (record.Count == 0 || target.Index < record.Count);

    private async ValueTask<LoggedRecord?> MoveToNextRecordAsync()
    {
        ulong lsn = _record?.Lsn ?? At.Lsn;
        while (_record is null || _next >= _record.Count)
        {
            LoggedRecord? record = await _log.ReadAsync(++lsn);
            if (record is null)
            {
                return null;
            }

            _counts.See(record);
            (_record, _next) = (record, 0);
        }

        return _record;
    }

    private async Task SendAsync(LoggedRecord record, int count)
    {
        await _session!.SendAsync(record, _next, count);
        Executed(record, count);
        _lastOutputs = null;
        if (_pacing.IsDue())
        {
            _pacing.Take(At, _session.RequestCheckpoint());
        }
    }

    private async Task ExecuteAsync(LoggedRecord record, int count, bool keep)
    {
        OutputCut cut = _session!.Cut(new Position(record.Lsn, _next + count - 1), keep, new TurnOutputs());
        await _session.SendAsync(record, _next, count);
        Executed(record, count);
        _lastOutputs = await _session.ReachAsync(cut);
    }

    private void Executed(LoggedRecord record, int count)
    {
        _next += count;
        _worked = true;
        At = new Position(record.Lsn, _next - 1);
    }

    private async Task ArriveAsync()
    {
        await _session!.FlushAsync();
        if (_worked)
        {
            await _session.ReachAsync(_session.Cut(At, keep: false, new TurnOutputs()));
        }

        await _pacing.ArriveAsync();
    }
}
