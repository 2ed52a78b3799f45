using System.Text.Json;
using Ambrosia.TimeTravel.Link;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Comparing;

/// <summary>One of the versions that are fed the same messages: its app, its connection, what it sent.</summary>
internal sealed class Side(IReplayApp app, ReplayLog log) : IAsyncDisposable
{
    private readonly Queue<OutputCut> _cuts = new();
    private readonly Stack<TurnOutputs> _spare = new();
    private ReplaySession? _session;

    public bool TakesParts => _session!.TakesParts;

    /// <summary>Whether it says which effects its turns ask for.</summary>
    public bool TellsEffects => _session!.TellsEffects;

    public string Description => app.Description;

    /// <summary>The last record of which something was sent.</summary>
    public ulong Sent { get; private set; }

    /// <summary>
    /// Begins anew, with a fresh object in this state, which is the one after this record; null for the state that it is born with.
    /// </summary>
    public async Task RestartAsync(IAppState? state, ulong lsn, CancellationToken cancellationToken)
    {
        await CloseAsync();
        _session = await ReplaySession.OpenAsync(app, log, cancellationToken);
        if (state is not null)
        {
            await _session.LoadAsync(state, lsn);
        }
    }

    /// <summary>Converts its state to its own version.</summary>
    public void Upgrade() => _session!.Upgrade();

    /// <summary>Everything up to this record has been sent: an upgrade that lies there is gone through.</summary>
    public void Cross(ulong lsn) => _session!.Cross(lsn);

    /// <summary>
    /// Saves it, starts its app anew, and loads what was saved: what a crash does to it. False if its state cannot be saved; then it goes
    /// on as it is.
    /// </summary>
    public async Task<bool> RecoverAsync(CancellationToken cancellationToken)
    {
        using HeldState? state = await HoldAsync();
        if (state is null)
        {
            return false;
        }

        await CloseAsync();
        await app.RenewAsync();
        await RestartAsync(state, Sent, cancellationToken);
        return true;
    }

    /// <summary>
    /// Sends messages, each with a mark of its own behind it; what they make is taken by <see cref="TakeAsync"/>, in order.
    /// </summary>
    public async Task SendAsync(StateChunk chunk)
    {
        _cuts.Enqueue(_session!.Cut(chunk.End, keep: true, _spare.TryPop(out TurnOutputs? spare) ? spare : new TurnOutputs()));
        foreach ((LoggedRecord record, int first, int count) in chunk.Parts)
        {
            Sent = record.Lsn;
            if (!_session.TakesParts)
            {
                await _session.SendAsync(record, first, count);
                continue;
            }

            for (int i = first; i < first + count; i++)
            {
                ValueTask sent = _session.SendAsync(record, i, 1);
                if (!sent.IsCompletedSuccessfully)
                {
                    await sent;
                }
            }
        }

        await _session.FlushAsync();
    }

    /// <summary>What the oldest chunk sent and not taken yet made.</summary>
    public Task<TurnOutputs> TakeAsync() => _cuts.Dequeue().Reached;

    /// <summary>Gives outputs back for reuse.</summary>
    public void Return(TurnOutputs outputs)
    {
        outputs.Clear();
        _spare.Push(outputs);
    }

    /// <summary>Hash of the state; null when it cannot be saved.</summary>
    public async Task<string?> HashAsync()
    {
        using JsonDocument answer = JsonDocument.Parse(await _session!.StateAsync(hashOnly: true));
        return answer.RootElement.TryGetProperty("stateHash", out JsonElement hash) ? hash.GetString() : null;
    }

    /// <summary>The whole state, for a report; the caller disposes it.</summary>
    public async Task<JsonDocument> StateAsync() => JsonDocument.Parse(await _session!.StateAsync(hashOnly: false));

    /// <summary>The state, to come back to.</summary>
    public async Task<HeldState?> HoldAsync()
    {
        Task<HeldState?> held = _session!.RequestCheckpoint();
        await _session.FlushAsync();
        return await held;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => CloseAsync();

    private async ValueTask CloseAsync()
    {
        _cuts.Clear();
        if (_session is { } old)
        {
            _session = null;
            await old.DisposeAsync();
        }
    }
}
