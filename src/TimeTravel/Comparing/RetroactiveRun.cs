using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Link;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Comparing;

/// <summary>
/// Runs what is in a log through a new version of its app, in isolation, and reports what it does otherwise. With an old version beside
/// it, both are fed message by message and compared down to the bytes; without one, with the digests and the checkpoints in the log.
/// </summary>
public sealed class RetroactiveRun : IAsyncDisposable
{
    private const int ChunkSize = 4096;
    private const int MostAttempts = 5;
    private readonly ReplayLog _log;
    private readonly RetroactiveOptions _options;
    private readonly Side _new;
    private readonly Side? _old;
    private readonly DigestCheck _digests;
    private readonly DifferenceList _found;
    private readonly StateComparison _states;
    private readonly MethodNames _names;
    private readonly EffectCheck _effects;
    private long _messages;
    private long _faults;
    private long _outputs;
    private int _recoveries;
    private Position _at;
    private ChunkReader? _reader;
    private Queue<ulong> _stops = new();
    private ulong? _boundary;
    private string? _cut;

    private RetroactiveRun(ReplayLog log, IReplayApp newApp, IReplayApp? oldApp, RetroactiveOptions options, MethodNames names)
    {
        (_log, _options, _names) = (log, options, names);
        _new = new Side(newApp, log);
        _old = oldApp is null ? null : new Side(oldApp, log);
        _digests = new DigestCheck(log.Instance);
        _effects = new EffectCheck(log.Instance);
        _found = new DifferenceList(options.MaxDescribed);
        _states = new StateComparison(_old, _new, _found, options.Time);
    }

    /// <summary>Runs it.</summary>
    /// <param name="log">The log; only read.</param>
    /// <param name="newApp">The version that is tried.</param>
    /// <param name="oldApp">The version to compare with; null compares with the log itself.</param>
    /// <param name="options">From where to where, and how closely.</param>
    /// <param name="names">Names of methods for the texts of the report.</param>
    /// <param name="cancellationToken">Ends it; the report then tells of what was run.</param>
    /// <exception cref="ReplayException">An app does not come, or there is no such checkpoint.</exception>
    public static async Task<RetroactiveReport> RunAsync(
        ReplayLog log, IReplayApp newApp, IReplayApp? oldApp, RetroactiveOptions? options = null, MethodNames? names = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(log);
        ArgumentNullException.ThrowIfNull(newApp);
        await using var run = new RetroactiveRun(log, newApp, oldApp, options ?? new RetroactiveOptions(), names ?? new MethodNames());
        return await run.RunAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        _states.Dispose();
        await _new.DisposeAsync();
        if (_old is not null)
        {
            await _old.DisposeAsync();
        }
    }

    // Of two versions the states differ anyhow.
    private bool ComparesStates => _options.CompareStates && !_options.Upgrade;

    private bool IsOver => _options.StopAtFirst && _found.Count > 0;

    private async Task<RetroactiveReport> RunAsync(CancellationToken cancellationToken)
    {
        ulong from = await BeginAsync(cancellationToken);
        _at = Position.After(from);
        (IReadOnlyList<MessagePosition> skips, _) = await _log.DecisionsAsync();
        Position? quarantined = skips.Count == 0 ? null : skips.Select(static skip => new Position(skip.Lsn, skip.Index)).Min();
        _effects.Begin(from, quarantined);
        long started = _options.Time.GetTimestamp();
        if (ComparesStates)
        {
            await _states.BeginAsync(from);
        }

        try
        {
            _reader = new ChunkReader(_log, from, _options.To) { Seen = _digests.Seen };
            _stops = new Queue<ulong>(_log.Checkpoints.Where(lsn => lsn > from).Order());
            await RunFromAsync(cancellationToken);
        }
        catch (ReplayException ended) when (!cancellationToken.IsCancellationRequested)
        {
            _found.Add(new Difference(DifferenceKind.Ended, _at, null, 0, [], [], ended.Message));
        }

        return new RetroactiveReport
        {
            Instance = _log.Instance, From = from, To = _at, Baseline = _old?.Description ?? RetroactiveReport.TheLog,
            IsAgainstLog = _old is null, Messages = _messages, Outputs = _outputs,
            Elapsed = _options.Time.GetElapsedTime(started), StatesCompared = _states.Compared, DigestsCompared = _digests.Compared,
                Recoveries = _recoveries, Faults = _faults, Effects = _effects.Count,
            DifferenceCount = _found.Count, Differences = _found.Described, ByMethod = _found.ByMethod, Cut = _cut,
        };
    }

    // A live instance may delete the checkpoint meanwhile, in a store where it cannot be held.
    private async Task<ulong> BeginAsync(CancellationToken cancellationToken)
    {
        ulong from = _options.From ?? await _log.FindBeginningAsync();
        for (int attempt = 1; !await TryLoadAsync(from, cancellationToken); attempt++)
        {
            await _log.RefreshAsync();
            if (_options.From is not null || attempt == MostAttempts)
            {
                throw _log.NoCheckpoint(from);
            }

            from = await _log.FindBeginningAsync();
        }

        if (_options.Upgrade)
        {
            _new.Upgrade();
        }

        return from;
    }

    private async Task<bool> TryLoadAsync(ulong from, CancellationToken cancellationToken)
    {
        foreach (Side side in _old is null ? [_new] : new[] { _old, _new })
        {
            await using LoggedState? state = await _log.OpenCheckpointAsync(from) is { } image ? await LoggedState.OpenAsync(image) : null;
            if (state is null && from > 0)
            {
                return false;
            }

            await side.RestartAsync(state, from, cancellationToken);
        }

        return true;
    }

    // While the apps work on one chunk, the next is on its way: neither waits for the other's answer.
    private async Task RunFromAsync(CancellationToken cancellationToken)
    {
        StateChunk? present = await ReadNextAsync();
        Task sending = SendAsync(present);
        while (present is not null)
        {
            await sending;
            StateChunk? next = IsOver || cancellationToken.IsCancellationRequested || _states.WantsPause() ? null : await ReadAsync();
            sending = SendAsync(next);
            await CompareAsync(present);
            if (next is null)
            {
                // Both stand still now: the time to compare states.
                await PauseAsync(cancellationToken);
                next = IsOver || cancellationToken.IsCancellationRequested ? null : await ReadNextAsync();
                sending = SendAsync(next);
            }

            present = next;
        }

        if (_old is null && ComparesStates && !IsOver)
        {
            await _states.CompareWithLogAsync(_log, cancellationToken);
        }
    }

    private async Task PauseAsync(CancellationToken cancellationToken)
    {
        if (_boundary is { } crossed)
        {
            // The checkpoint that an upgrade makes is of the new version.
            _new.Cross(crossed);
            _old?.Cross(crossed);
        }

        await _states.CompareAsync(cancellationToken);
        if (_old is null && ComparesStates && _boundary is { } checkpoint)
        {
            await _states.RememberAsync(checkpoint);
        }

        if (_old is not null && _boundary is not null && _recoveries < _options.Recoveries && !IsOver
            && await _old.RecoverAsync(cancellationToken))
        {
            _recoveries++;
        }

        _boundary = null;
    }

    // Null at the end, and once before what follows a checkpoint of the log.
    private async ValueTask<StateChunk?> ReadAsync()
    {
        StateChunk? chunk = await ReadChunkAsync(_stops.TryPeek(out ulong stop) ? stop : ulong.MaxValue);
        if (chunk is null && _stops.TryDequeue(out stop))
        {
            _boundary = stop;
        }

        return chunk;
    }

    // What was read before the instance deleted the rest is compared as at any other end.
    private async ValueTask<StateChunk?> ReadChunkAsync(ulong notBeyond)
    {
        try
        {
            return await _reader!.ReadAsync(ChunkSize, notBeyond);
        }
        catch (RecordsGoneException gone)
        {
            _cut = gone.Message;
            _stops.Clear();
            return null;
        }
    }

    private async ValueTask<StateChunk?> ReadNextAsync()
    {
        StateChunk? chunk;
        do
        {
            chunk = await ReadAsync();
        }
        while (chunk is null && _boundary is not null && Forget());

        return chunk;
    }

    // A checkpoint with nothing new before it was compared when that was reached.
    private bool Forget()
    {
        _boundary = null;
        return true;
    }

    private Task SendAsync(StateChunk? chunk)
    {
        if (chunk is null)
        {
            return Task.CompletedTask;
        }

        _states.Sent(chunk);
        return _old is null ? _new.SendAsync(chunk) : Task.WhenAll(_old.SendAsync(chunk), _new.SendAsync(chunk));
    }

    private async Task CompareAsync(StateChunk chunk)
    {
        TurnOutputs actual = await _new.TakeAsync();
        TurnOutputs? expected = _old is null ? null : await _old.TakeAsync();
        for (int i = 0; i < actual.Turns.Length; i++)
        {
            _digests.Sent(actual.Turns[i].Lsn, actual, i);
            if (expected is not null && i < expected.Turns.Length && !OutputComparer.AreEqual(expected, actual, i))
            {
                Describe(chunk, i, expected, actual);
            }
        }

        _faults += actual.Faults.Count;
        CompareFaults(chunk, expected, actual);
        await CompareEffectsAsync(chunk, expected, actual);
        foreach ((ulong lsn, DifferenceKind kind, string text) in _digests.Mismatches())
        {
            if (!_found.HasAny(lsn))
            {
                _found.Add(new Difference(kind, Position.After(lsn), null, 0, [], [], text));
            }
        }

        _messages += chunk.Count;
        _outputs += actual.Messages;
        _at = chunk.End;
        _new.Return(actual);
        if (expected is not null)
        {
            _old!.Return(expected);
        }
    }

    private void Describe(StateChunk chunk, int turn, TurnOutputs expected, TurnOutputs actual)
    {
        List<SentMessage> before = OutputComparer.Messages(expected, turn);
        List<SentMessage> after = OutputComparer.Messages(actual, turn);
        if (OutputComparer.Judge(before, after, _names) is { } verdict)
        {
            MessageSummary? message = turn < chunk.Count && _new.TakesParts ? MessageSummary.Of(chunk[turn]) : null;
            Position at = message?.At ?? Position.After(actual.Turns[turn].Lsn);
            _found.Add(new Difference(verdict.Kind, at, message, message?.MethodId ?? 0, before, after, verdict.Text));
        }
    }

    private async Task CompareEffectsAsync(StateChunk chunk, TurnOutputs? expected, TurnOutputs actual)
    {
        _effects.Asked(actual.Effects, keep: _old is null);
        bool tell = _new.TellsEffects && _old is not { TellsEffects: false };
        IEnumerable<(Position At, string Text)> differences = !tell ? []
            : expected is null ? _effects.Contradicted(chunk) : EffectCheck.Between(expected.Effects, actual.Effects);
        foreach ((Position at, string text) in differences)
        {
            MessageSummary? message = await SummaryOfAsync(chunk, at);
            _found.Add(new Difference(DifferenceKind.Effect, at, message, message?.MethodId ?? 0, [], [], text));
        }
    }

    private async ValueTask<MessageSummary?> SummaryOfAsync(StateChunk chunk, Position at)
    {
        if (chunk.Find(at) is { } here)
        {
            return MessageSummary.Of(here);
        }

        return await _log.ReadAsync(at.Lsn) is { } record && at.Index < record.Count ? MessageSummary.Of(record[at.Index]) : null;
    }

    private void CompareFaults(StateChunk chunk, TurnOutputs? expected, TurnOutputs actual)
    {
        if (expected is null || (expected.Faults.Count == 0 && actual.Faults.Count == 0))
        {
            return;
        }

        Dictionary<Position, string> before = expected.Faults.GroupBy(static f => f.Position)
            .ToDictionary(static f => f.Key, static f => f.First().Text);
        Dictionary<Position, string> after = actual.Faults.GroupBy(static f => f.Position)
            .ToDictionary(static f => f.Key, static f => f.First().Text);
        foreach (Position at in before.Keys.Union(after.Keys).Order())
        {
            string? old = before.GetValueOrDefault(at);
            string? now = after.GetValueOrDefault(at);
            if (old != now)
            {
                MessageSummary? message = chunk.Find(at) is { } found ? MessageSummary.Of(found) : null;
                string text = (old, now) switch
                    { (null, _) => $"threw {now}", (_, null) => $"did not throw {old}", _ => $"threw {now} instead of {old}" };
                _found.Add(new Difference(DifferenceKind.Fault, at, message, message?.MethodId ?? 0, [], [], text));
            }
        }
    }
}
