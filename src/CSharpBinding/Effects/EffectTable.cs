using System.Buffers;
using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>
/// The effects of one immortal that were asked for and have no outcome: state. Performing them is the runner's business; its outcome is an
/// impulse to oneself, which
/// counts only while the key is pending, so that each effect ends once however often it was performed (docs/internals/effect-rules.md E8).
/// </summary>
internal sealed class EffectTable(IEffectRuntime runtime)
{
    private readonly SortedDictionary<EffectKey, PendingEffect> _pending = [];
    private readonly Dictionary<Type, int> _counts = [];
    private readonly List<PendingEffect> _due = [];
    private readonly AskedEffects _asked = new() { IsLenient = runtime.Welcome.Mode == BindingMode.Debug }; // Which compares by itself.
    private readonly List<PendingEffect>? _told = (runtime.Welcome.Features & BindingFeatures.EffectRequests) == 0 ? null : [];
    private readonly EffectLives _lives = new();
    private EffectRunner? _runner;
    private EffectKey? _uncounted;
    private long _turn = -1;
    private int _ordinal;

    /// <summary>Those of the immortal whose turn this is.</summary>
    public static EffectTable OfTurn() => ((IEffectRuntime)Turn.Required.Owner!).Effects;

    /// <summary>Effects without an outcome.</summary>
    public int Count => _pending.Count;

    /// <summary>True if effects are to begin once the link took the progress of the turns so far.</summary>
    public bool HasDue => _due.Count > 0;

    /// <summary>Throws if no further effect of the interface may be pending.</summary>
    /// <exception cref="InvalidOperationException">Its bound is reached.</exception>
    public void RequireRoom(EffectContract contract)
    {
        if (_counts.GetValueOrDefault(contract.InterfaceType) >= contract.MaxPending)
        {
            throw new InvalidOperationException(
                $"{contract.MaxPending} effects of {contract.InterfaceName} are pending, which is its bound: await some of them first, or "
                    + $"raise [EffectInterface(MaxPending = ...)].");
        }
    }

    /// <summary>A turn asks for an effect.</summary>
    public void Ask(ImmortalEffects effects, int method, byte[] arguments, IPendingCall? cell)
    {
        if (effects.Cancellation is { IsCancelled: true })
        {
            cell?.Fail(DurableCancellation.NewException()); // Not asked for at all.
            return;
        }

        RequireRoom(effects.GetContract()); // Writing the arguments may have asked for others.
        if (_turn != runtime.Clock.TurnNumber)
        {
            _turn = runtime.Clock.TurnNumber;
            _ordinal = 0;
        }

        var key = new EffectKey(runtime.Clock.Lsn, runtime.Clock.Index, _ordinal++);
        var effect = new PendingEffect(key, effects, method, arguments, runtime.Clock.LogTicks, cell);
        Add(effect);
        _runner?.Figures?.Pending(effect);
        _asked.Note(key);
        _told?.Add(effect);
        Begin(effect);
    }

    /// <summary>Turns have ended: tells a replay what they asked for, before their progress.</summary>
    public void TellAsked()
    {
        if (_told is not { Count: > 0 } told)
        {
            return;
        }

        var data = new ArrayBufferWriter<byte>();
        foreach (PendingEffect effect in told)
        {
            data.ResetWrittenCount();
            string name = EffectMethodTold.Clean($"{effect.Contract.InterfaceName}.{effect.Method.Name}");
            new EffectAsked(effect.Key.Lsn, effect.Key.Index, effect.Key.Ordinal, effect.Hash(), effect.MethodId, name, effect.Arguments)
                .Write(data);
            runtime.Page.WriteControl(BindingMessageType.EffectAsked, data.WrittenSpan);
        }

        told.Clear();
    }

    /// <summary>The record from which on this process knows what was asked for.</summary>
    public void BeginRecord(ulong lsn, int index) => _asked.Begin(new EffectKey(lsn, index, 0));

    /// <summary>An outcome was logged: completes its waiter if the effect is pending.</summary>
    /// <exception cref="EffectDivergedException">The log says that something else was asked for.</exception>
    /// <exception cref="HandlerFaultException">Nobody waits for it, it failed and the policy is to stop.</exception>
    public void Apply(in EffectOutcome outcome)
    {
        if (!_pending.TryGetValue(outcome.Key, out PendingEffect? effect))
        {
            // Performed twice, or cancelled. But what nobody asked for has no outcome.
            if (_asked.IsUnknown(outcome.Key))
            {
                throw Diverged(outcome.Key, "and no message asked for that effect");
            }

            return;
        }

        if (effect.Hash() != outcome.Hash && !_asked.IsLenient)
        {
            throw Diverged(outcome.Key, $"but {effect.Contract.InterfaceName}.{effect.Method.Name} was asked for with other arguments, or "
                + $"in place of another method");
        }

        Remove(effect);
        Complete(effect, outcome);
        BeginNext(effect);
    }

    /// <summary>An outcome was quarantined: its waiter is told, and the effect is not performed again.</summary>
    public void Skip(EffectKey key, Exception reason)
    {
        if (_pending.TryGetValue(key, out PendingEffect? effect))
        {
            End(effect, reason);
        }
    }

    /// <summary>
    /// Outcomes of what was not asked for are no divergence from here on: a message was quarantined that asked, or somebody accepted that
    /// this build asks for something else.
    /// </summary>
    public void ExpectOthers() => _asked.IsLenient = true;

    /// <summary>The immortal no longer wants it; whether it was performed is unknown.</summary>
    public void Cancel(PendingEffect effect)
    {
        if (_pending.GetValueOrDefault(effect.Key) == effect)
        {
            End(effect, DurableCancellation.NewException());
        }
    }

    /// <summary>
    /// From now on effects are performed. All that are pending begin, in the order in which they were asked for, once it is in the log that
    /// they do: the next process must know it (docs/internals/effect-rules.md E20).
    /// </summary>
    public void Start(EffectRunner runner)
    {
        _runner = runner;
        _due.Clear();
        if (_pending.Count > 0)
        {
            _uncounted = _pending.Last().Key;
            runner.Figures?.Pending(_pending.Values);
            runner.Marks.Note(EffectNote.Of(EffectNoteKind.LifeBegins, runtime.Life, Build()));
        }
    }

    /// <summary>This process stops by itself: no effect has ended it.</summary>
    public void Stop()
    {
        if (_pending.Count > 0)
        {
            _runner?.Marks.Note(EffectNote.Of(EffectNoteKind.LifeEnds, runtime.Life, 0));
        }
    }

    /// <summary>A note about effects was logged.</summary>
    public void Take(in EffectNote note)
    {
        PendingEffect? effect = _pending.GetValueOrDefault(note.Key);
        switch (note.Kind)
        {
            case EffectNoteKind.LifeBegins when _pending.Count > 0:
                _lives.Begin(_pending.Values, note.Life, note.Build);
                BeginCounted(note.Life);
                break;
            case EffectNoteKind.LifeEnds:
                _lives.End(_pending.Values, note.Life);
                break;
            case EffectNoteKind.Marked:
                effect?.Mark();
                _runner?.Marks.Logged(note.Key);
                break;
            case EffectNoteKind.Cleared:
                effect?.Clear();
                break;
            case EffectNoteKind.Run when effect is { IsHeld: true }:
                effect.Acquit();
                _runner?.Figures?.Released(effect);
                Begin(effect);
                break;
            case EffectNoteKind.GivenUp when effect is not null:
                End(effect, new EffectGivenUpException(note.Text));
                break;
            default:
                break; // It has ended meanwhile.
        }
    }

    /// <summary>A person decides about an effect; null if that can be done, otherwise why not.</summary>
    public string? Decide(in EffectNote decision)
    {
        if (_runner is not { } runner)
        {
            return "this app does not act: ask the one that does";
        }

        if (!_pending.TryGetValue(decision.Key, out PendingEffect? effect))
        {
            return $"no effect {decision.Key} is pending";
        }

        if (decision.Kind == EffectNoteKind.Run && !effect.IsHeld)
        {
            return $"effect {decision.Key} is not held: it is performed when its time has come";
        }

        return runner.Marks.Note(decision) ? null : "the connection to the coordinator has ended";
    }

    /// <summary>
    /// What became due and is still pending: the caller begins it when the link took the progress of the turns that asked for it.
    /// </summary>
    public PendingEffect[] TakeDue()
    {
        PendingEffect[] due = [.. _due.Where(IsPending)];
        _due.Clear();
        return due;
    }

    /// <summary>
    /// The table as state; null if nothing is pending, so that a checkpoint without effects is as it was before there were any.
    /// </summary>
    public SavedEffects? Save() => _pending.Count == 0 ? null : new SavedEffects([.. _pending.Values], _lives);

    /// <summary>Puts the table into a saved state.</summary>
    public void Restore(SavedEffects? saved)
    {
        _pending.Clear();
        _counts.Clear();
        _due.Clear();
        _lives.Restore(saved?.Life ?? 0, saved?.Build ?? 0);
        foreach (PendingEffect effect in saved?.Pending ?? [])
        {
            Add(effect);
        }
    }

    private bool IsPending(PendingEffect effect) => _pending.GetValueOrDefault(effect.Key) == effect;

    private static EffectDivergedException Diverged(EffectKey key, string what) => new(
        $"The log holds the outcome of effect {key}, {what}: the code changed since, or a handler is not deterministic. Nothing was "
            + $"performed. Start the build that wrote the log.");

    private void Add(PendingEffect effect)
    {
        _pending.Add(effect.Key, effect);
        Type type = effect.Contract.InterfaceType;
        _counts[type] = _counts.GetValueOrDefault(type) + 1;
    }

    private void Remove(PendingEffect effect)
    {
        _pending.Remove(effect.Key);
        _counts[effect.Contract.InterfaceType]--;
        effect.Forget();
        _runner?.Withdraw(effect.Key);
        _runner?.Figures?.Ended(effect);
        if (_pending.Count == 0)
        {
            _lives.Restore(0, 0); // Not in a checkpoint either.
        }
    }

    // Without an outcome.
    private void End(PendingEffect effect, Exception reason)
    {
        Remove(effect);
        effect.Cell?.Fail(reason);
        BeginNext(effect);
    }

    // That this process acts is in the log: what was pending when it began to may begin.
    private void BeginCounted(ulong life)
    {
        if (_runner is null || life != runtime.Life || _uncounted is not { } last)
        {
            return;
        }

        _uncounted = null;
        foreach (PendingEffect effect in _pending.Values)
        {
            if (effect.Key.CompareTo(last) <= 0)
            {
                Begin(effect);
            }
        }
    }

    private ulong Build() => BinaryPrimitives.ReadUInt64LittleEndian(
        SHA256.HashData(Encoding.UTF8.GetBytes(runtime.Build)));

    // Before this process acts, a replay only fills the table.
    private void Begin(PendingEffect effect)
    {
        if (_runner is not null && (!effect.Method.OneAtATime || IsFirstOfItsMethod(effect)))
        {
            Due(effect);
        }
    }

    private void Due(PendingEffect effect)
    {
        if (_uncounted is { } last && effect.Key.CompareTo(last) <= 0)
        {
            return;
        }

        if (effect.IsHeld)
        {
            _runner?.Hold(effect);
            return;
        }

        _due.Add(effect);
    }

    private void BeginNext(PendingEffect ended)
    {
        if (_runner is not null && ended.Method.OneAtATime && _pending.Values.FirstOrDefault(other => IsAlike(ended, other)) is { } next)
        {
            Due(next);
        }
    }

    private bool IsFirstOfItsMethod(PendingEffect effect) => _pending.Values.First(other => IsAlike(effect, other)) == effect;

    private static bool IsAlike(PendingEffect one, PendingEffect other) =>
        one.MethodId == other.MethodId && one.Contract.InterfaceType == other.Contract.InterfaceType;

    private void Complete(PendingEffect effect, in EffectOutcome outcome)
    {
        if (effect.Cell is not { } cell)
        {
            if (outcome.Form == RpcForm.Exception)
            {
                runtime.Report(effect.MethodId, $"{effect.Contract.InterfaceName}.{effect.Method.Name}", ErrorOf(effect, outcome));
            }

            return;
        }

        if (outcome.Form == RpcForm.Exception)
        {
            cell.Fail(ErrorOf(effect, outcome));
            return;
        }

        try
        {
            cell.Complete(outcome.Body.Span);
        }
        catch (Exception error) when (ProcessFailure.IsHandlers(error))
        {
            cell.Fail(Undecodable(effect, error));
        }
    }

    private Exception ErrorOf(PendingEffect effect, in EffectOutcome outcome)
    {
        try
        {
            return ExceptionCodec.Read(outcome.Body.Span, runtime.Exceptions);
        }
        catch (Exception error) when (ProcessFailure.IsHandlers(error))
        {
            return Undecodable(effect, error);
        }
    }

    private static InvalidDataException Undecodable(PendingEffect effect, Exception error) =>
        new($"The outcome of {effect.Contract.InterfaceName}.{effect.Method.Name} cannot be decoded: {error.Message}", error);
}
