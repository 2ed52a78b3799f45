using System.Buffers;
using System.Diagnostics;
using Ambrosia.Primitives.Threading;
using Ambrosia.Protocol;
using Ambrosia.Telemetry;

namespace Ambrosia.Runtime;

/// <summary>
/// Performs the effects of the immortal for which this process acts: outside of turns, on the thread pool, or where the session runs if
/// that is a world of its own. Sends
/// each outcome as an impulse. Nothing here is state: what is not told is performed again by the next process.
/// </summary>
internal sealed class EffectRunner : IDisposable
{
    // Attempts that took too long and still run, at the most.
    private const int FewestAbandoned = 32;
    private static readonly TimeSpan s_afterDeath = TimeSpan.FromSeconds(10);
    private readonly object _gate = new();
    private readonly IEffectRuntime _runtime;
    private readonly OutsideSettings _settings;
    private readonly OutsideTurns _outside = new();
    private readonly Dictionary<EffectKey, RunningEffect> _begun = [];
    private readonly Queue<RunningEffect> _ready = new();
    private readonly AttemptReports _reports;
    private readonly Attempts _attempts;
    private readonly RetryRules _rules;
    private readonly AbandonedAttempts _abandoned;
    private TaskCompletionSource? _idle;
    private readonly long _made;
    private int _running;
    private int _told; // Outcomes that no turn has taken yet.
    private bool _oneIsAlone;
    private bool _stopping;
    private bool _closed;

    public EffectRunner(IEffectRuntime runtime, OutsideSettings settings)
    {
        _runtime = runtime;
        _settings = settings;
        _made = settings.Time.GetTimestamp();
        _reports = new AttemptReports(runtime.Welcome.Instance, settings.Logger);
        int most = Math.Max(FewestAbandoned, settings.Effects.AtOnce);
        _abandoned = new AbandonedAttempts(
            most, method => BindingLog.TooManyAbandoned(settings.Logger, runtime.Welcome.Instance, most, method), StartReady);
        _attempts = new Attempts(runtime, settings, _outside, _reports, _abandoned);
        _rules = new RetryRules(runtime, settings);
        Marks = new EffectMarks(runtime);
        Figures = (runtime.Welcome.Features & BindingFeatures.Effects) == 0 ? null : new EffectFigures(settings.Time, Tell);
    }

    /// <summary>What the coordinator is told; null if it does not want to know.</summary>
    public EffectFigures? Figures { get; }

    /// <summary>What is logged of effects besides their outcomes.</summary>
    public EffectMarks Marks { get; }

    /// <summary>Effects that this process has begun or is about to, ended ones included.</summary>
    public int Begun { get; private set; }

    /// <summary>True if no attempt runs or is about to, and no outcome is on its way to the log.</summary>
    public bool IsAtRest
    {
        get
        {
            lock (_gate)
            {
                return _running == 0 && _ready.Count == 0 && _told == 0;
            }
        }
    }

    /// <summary>True once a clean stop has begun: no attempt begins any more.</summary>
    public bool IsStopping
    {
        get
        {
            lock (_gate)
            {
                return _stopping;
            }
        }
    }

    /// <summary>Begins effects, in this order; from any thread.</summary>
    public void Begin(IReadOnlyList<PendingEffect> effects, DateTimeOffset logTime)
    {
        lock (_gate)
        {
            foreach (PendingEffect effect in effects)
            {
                // Nobody knows by any other clock than the wall's how long it was pending while no process acted.
                DateTimeOffset now = _settings.Time.GetUtcNow();
                TimeSpan age = (now > logTime ? now : logTime) - effect.Asked;
                var running = new RunningEffect(effect, age, _settings.Time.GetTimestamp());
                if (!_closed && !effect.IsEnded && _begun.TryAdd(effect.Key, running))
                {
                    Queue(running);
                    Begun++;
                }
            }
        }

        StartReady();
    }

    /// <summary>An effect is pending and not performed.</summary>
    public void Hold(PendingEffect effect)
    {
        Figures?.Held(effect);
        BindingLog.EffectHeld(_settings.Logger, $"{effect.Contract.InterfaceName}.{effect.Method.Name}", effect.Key.ToString(),
            effect.Deaths, _runtime.Welcome.Instance);
    }

    /// <summary>The effect is no longer pending.</summary>
    public void Withdraw(EffectKey key)
    {
        RunningEffect? running;
        lock (_gate)
        {
            _begun.Remove(key, out running);
            running?.Withdraw();
            _told -= running is { IsTold: true } ? 1 : 0;
        }

        if (running is not null)
        {
            _outside.Post(() => running.Cancel(_settings.Logger));
        }
    }

    /// <summary>A clean stop: nothing begins any more; ends when no attempt runs, or after the time that the app gives them.</summary>
    public async Task DrainAsync()
    {
        Task idle;
        lock (_gate)
        {
            _stopping = true;
            if (_running == 0)
            {
                return;
            }

            _idle ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            idle = _idle.Task;
        }

        using var limit = new CancellationTokenSource(_settings.Effects.Drain, _settings.Time);
        try
        {
            await FirstOf.OrCancelAsync(idle, limit.Token);
        }
        catch (OperationCanceledException)
        {
            BindingLog.EffectsLeft(_settings.Logger, _runtime.Welcome.Instance, _running);
        }
    }

    /// <summary>This process no longer acts: what runs is cancelled, and no outcome leaves.</summary>
    public void Dispose()
    {
        Figures?.Dispose();
        RunningEffect[] running;
        lock (_gate)
        {
            _closed = true;
            running = [.. _begun.Values];
            _begun.Clear();
            _ready.Clear();
            _told = 0;
            foreach (RunningEffect effect in running)
            {
                effect.Withdraw();
            }
        }

        foreach (RunningEffect effect in running)
        {
            _outside.Post(() => effect.Cancel(_settings.Logger));
        }
    }

    private void EndAttempt(PendingEffect effect, Activity? span, string outcome, Exception? failure = null)
    {
        BindingMeter.Attempted(_runtime.Welcome.Instance, $"{effect.Contract.InterfaceName}.{effect.Method.Name}", outcome);
        EffectTracing.End(span, outcome, failure);
    }

    private void StartReady()
    {
        while (TakeReady() is { } effect)
        {
            _outside.Post(() => _ = AttemptAsync(effect));
        }
    }

    private RunningEffect? TakeReady()
    {
        lock (_gate)
        {
            while (!_closed && !_stopping && _running < _settings.Effects.AtOnce && !_abandoned.IsFull
                && !_oneIsAlone && _ready.TryPeek(out RunningEffect? effect))
            {
                if (effect.IsAlone && !effect.IsWithdrawn && _running > 0)
                {
                    return null; // Those that run end first.
                }

                _ready.Dequeue();
                if (!effect.IsWithdrawn)
                {
                    _running++;
                    _oneIsAlone = effect.IsAlone;
                    return effect;
                }
            }

            return null;
        }
    }

    private async Task AttemptAsync(RunningEffect running)
    {
        TimeSpan? pause = null;
        try
        {
            await _runtime.Writer.WaitForRoomAsync(running.Withdrawn);
            if (await Marks.MarkAsync(running) && MayBegin(running))
            {
                pause = await PerformAsync(running);
                if (pause is not null)
                {
                    Marks.Clear(running); // It has failed, and this process lives.
                }
            }
        }
        finally
        {
            Release();
        }

        if (pause is { } time)
        {
            await BackOffAsync(running, time);
        }
    }

    // With the gate held. What ended a process waits, longer each time: the app is of use meanwhile, whatever comes then.
    private void Queue(RunningEffect running)
    {
        TimeSpan pause = running.Deaths == 0 ? TimeSpan.Zero
            : (s_afterDeath * Math.Pow(4, running.Deaths - 1)) - _settings.Time.GetElapsedTime(_made);
        if (pause > TimeSpan.Zero)
        {
            _outside.Post(() => _ = BackOffAsync(running, pause));
        }
        else
        {
            _ready.Enqueue(running);
        }
    }

    // A process that no longer acts may not know it yet; one that does must not begin.
    private bool MayBegin(RunningEffect running)
    {
        lock (_gate)
        {
            if (_closed || _stopping || running.IsWithdrawn || _runtime.Writer.IsClosed)
            {
                return false;
            }

            running.Attempts++;
            return true;
        }
    }

    private void Release()
    {
        TaskCompletionSource? idle = null;
        lock (_gate)
        {
            _oneIsAlone = false; // An attempt that runs alone is the only one that can end.
            if (--_running == 0)
            {
                (idle, _idle) = (_idle, null);
            }
        }

        idle?.SetResult();
        StartReady();
    }

    // Returns how long to wait until the next attempt; null if there is none.
    private async Task<TimeSpan?> PerformAsync(RunningEffect running)
    {
        PendingEffect effect = running.Effect;
        TimeSpan? left = _rules.LeftOf(running);
        if (left <= TimeSpan.Zero)
        {
            Send(running, Failed(running, _rules.GivenUp(running)));
            return null;
        }

        Exception failure;
        using Activity? span = EffectTracing.Begin(running, _runtime.Welcome.Instance, _runtime.Welcome.InstanceId);
        Figures?.Begins(effect);
        try
        {
            ReadOnlyMemory<byte> result = await _attempts.PerformAsync(running, _rules.LimitOf(running, left));
            Figures?.Ends(effect, null);
            EndAttempt(effect, span, EffectTracing.Done);
            Send(running, new EffectOutcome(effect.Key, effect.Hash(), running.Attempts, result.IsEmpty ? RpcForm.Void : RpcForm.Value,
                result));
            return null;
        }
        catch (Exception error)
        {
            failure = error;
        }

        running.LastError = running.IsWithdrawn ? running.LastError : $"{failure.GetType().Name}: {failure.Message}";
        Figures?.Ends(effect, running.LastError);
        if (running.IsWithdrawn)
        {
            EndAttempt(effect, span, EffectTracing.Withdrawn);
            return null; // No outcome: the process stops, or the effect is no longer pending.
        }

        if (_rules.IsFinal(running, failure))
        {
            EndAttempt(effect, span, EffectTracing.Failed, failure);
            Send(running, Failed(running, failure));
            return null;
        }

        EndAttempt(effect, span, EffectTracing.Retried, failure);
        _reports.Failed(running, failure);
        return _rules.PauseAfter(running);
    }

    private EffectOutcome Failed(RunningEffect running, Exception error) =>
        EffectOutcome.Failed(running.Effect.Key, running.Effect.Hash(), running.Attempts, error, _runtime.Exceptions);

    private async Task BackOffAsync(RunningEffect running, TimeSpan pause)
    {
        try
        {
            await Task.Delay(pause, _settings.Time, running.Withdrawn);
        }
        catch (OperationCanceledException)
        {
            return;
        }

        lock (_gate)
        {
            _ready.Enqueue(running);
        }

        StartReady();
    }

    private void Tell(EffectsTold told)
    {
        var data = new ArrayBufferWriter<byte>();
        told.Write(data);
        try
        {
            _runtime.Writer.SubmitControl(BindingMessageType.Effects, data.WrittenSpan);
        }
        catch (LinkClosedException)
        {
            // The next primary tells what it has.
        }
    }

    private void Send(RunningEffect running, EffectOutcome outcome)
    {
        byte[] impulse = outcome.ToImpulse();
        if (impulse.Length > _runtime.MaxMessageBytes)
        {
            impulse = Failed(running, new EffectResultException(
                $"{running.Effect.Method.Name} was performed, but its result of {outcome.Body.Length} bytes is larger than the "
                    + $"coordinator accepts "
                + $"({_runtime.MaxMessageBytes}): raise --max-message-size, or return less.")).ToImpulse();
        }

        lock (_gate)
        {
            if (_closed || running.IsWithdrawn)
            {
                return;
            }

            try
            {
                _ = _runtime.Writer.SubmitImpulse(_runtime.Self, impulse, always: true);
                _told += running.IsTold ? 0 : 1;
                running.IsTold = true;
            }
            catch (LinkClosedException)
            {
                // It is still pending in the state: the process that acts next performs it again.
                BindingLog.EffectTooLate(_settings.Logger, outcome.Key.ToString());
            }
        }
    }
}
