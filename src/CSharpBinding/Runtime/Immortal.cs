using System.Buffers;
using System.ComponentModel;
using Ambrosia.Runtime;
using Microsoft.Extensions.Logging;

namespace Ambrosia;

/// <summary>
/// Base of every immortal; derive from the class that is generated beside your <c>[ImmortalInterface]</c>. Every instance field
/// is state, saved in checkpoints and rebuilt by replay, so handlers must be deterministic: time, randomness and the outside
/// world are reached through the members of this class only.
/// </summary>
public abstract partial class Immortal
{
    [NotSaved]
    private ImmortalRuntime? _runtime;

    /// <summary>What this immortal offers; generated.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected abstract ImmortalContract Contract { get; }

    internal ImmortalRuntime Runtime => _runtime ?? throw new InvalidOperationException(
        $"{GetType().Name} is not running: this member works inside handlers of an immortal that was started with Immortal.RunAsync, "
        + $"AddImmortal or ImmortalTestHost.");

    /// <summary>Name of this instance: the same for its whole life, on every machine.</summary>
    protected string InstanceName => Runtime.Welcome.Instance;

    /// <summary>
    /// Time of the log record that is being executed (UTC): the same whenever and wherever the message is executed again. It never goes
    /// back.
    /// </summary>
    /// <exception cref="InvalidOperationException">Not called from a handler or a query.</exception>
    protected DateTimeOffset LogTime => Runtime.InTurnOrQuery(nameof(LogTime)).Clock.LogTime;

    /// <summary>
    /// Random numbers that are the same whenever the message is executed again. Use it at once, do not keep it in a field.
    /// </summary>
    /// <exception cref="InvalidOperationException">Not called from a handler.</exception>
    protected Random Random => Runtime.InTurn(nameof(Random)).Random;

    /// <summary>Writes to the app's log, but is silent while messages are executed again during recovery.</summary>
    protected ILogger Log => Runtime.Log;

    /// <summary>A new unique id that is the same whenever the message is executed again.</summary>
    /// <exception cref="InvalidOperationException">Not called from a handler.</exception>
    protected Guid NewGuid() => Runtime.NewGuid();

    /// <summary>Completes after <paramref name="delay"/> of log time, in a later turn; survives crashes, however long it lasts.</summary>
    /// <exception cref="InvalidOperationException">Not called from a handler.</exception>
    protected DurableTask Delay(TimeSpan delay)
    {
        Runtime.InTurn(nameof(Delay));
        return DurableTimer.Start(delay).Task;
    }

    /// <summary>
    /// A value that somebody outside gives, once: give its address away, and await it. It survives crashes, however long it lasts
    /// (docs/guide/calls-from-outside.md#awakeables).
    /// </summary>
    /// <param name="deadline">
    /// After so much log time nobody can complete it any more, and awaiting it throws an <see cref="AwakeableExpiredException"/>. Null: it
    /// has no deadline.
    /// </param>
    /// <exception cref="InvalidOperationException">
    /// Not called from a handler, or the instance has no address for calls from outside.
    /// </exception>
    protected Awakeable<T> Awakeable<T>(TimeSpan? deadline = null) => Runtime.InTurn(nameof(Awakeable)).Awakeables.Open<T>(deadline);

    /// <summary>
    /// The occurrence for which this handler was called, if a schedule called it (docs/guide/schedules.md); null otherwise, and after the
    /// handler's first wait.
    /// </summary>
    /// <exception cref="InvalidOperationException">Not called from a handler.</exception>
    protected Occurrence? Occurrence => Runtime.InTurn(nameof(Occurrence)).Occurrence;

    /// <summary>How the schedules of this immortal stand, in the order of their names; <c>This.Every(...)</c> makes one.</summary>
    /// <exception cref="InvalidOperationException">Not called from a handler or a query.</exception>
    protected IReadOnlyList<Schedule> Schedules => Runtime.InTurnOrQuery(nameof(Schedules)).Schedules.List();

    /// <summary>Ends a schedule; false if there is none of this name.</summary>
    /// <exception cref="InvalidOperationException">Not called from a handler.</exception>
    protected bool CancelSchedule(string name) => Runtime.InTurn(nameof(CancelSchedule)).Schedules.Cancel(name);

    /// <summary>The proxy through which the instance <paramref name="name"/> is called. It may be kept in a field.</summary>
    /// <exception cref="ArgumentException">The name is not a valid instance name.</exception>
    protected T Proxy<T>(string name)
        where T : ImmortalProxy, new() => Runtime.Proxies.Get<T>(name);

    /// <summary>The proxy through which this immortal calls itself through the log; generated classes offer it as <c>This</c>.</summary>
    protected T SelfProxy<T>()
        where T : ImmortalProxy, new() => Runtime.Proxies.Get<T>("");

    /// <summary>
    /// The class through which effects on the outside are asked for, generated for an <c>[EffectInterface]</c>: <c>await
    /// Effects&lt;PaymentsEffects&gt;().ChargeAsync(card, 5)</c>
    /// (docs/guide/effects.md).
    /// </summary>
    /// <param name="cancellation">Once it is cancelled, what was asked for is no longer pending: the caller gets an <see
    /// cref="OperationCanceledException"/>. Whether it was
    /// performed is unknown.</param>
    /// <exception cref="InvalidOperationException">Not called from a handler.</exception>
    protected T Effects<T>(DurableCancellation? cancellation = null)
        where T : ImmortalEffects, new()
    {
        Runtime.InTurn(nameof(Effects));
        return new T { Cancellation = cancellation };
    }

    /// <summary>Asks for a checkpoint at the next opportunity. Without it, checkpoints are taken as the log grows.</summary>
    protected void TakeCheckpoint() => Runtime.InTurn(nameof(TakeCheckpoint)).RequestCheckpoint();

    /// <summary>The first message that this immortal ever handles, exactly once in its whole life, however often it is restarted.</summary>
    protected virtual DurableTask OnFirstStart() => default;

    /// <summary>
    /// Called, outside of any turn, whenever this process becomes the one that acts for the immortal: after every start and recovery.
    /// Start threads, listeners and timers here and send what they see as impulses. It is not logged, so it must not change state; calls
    /// and forks throw.
    /// </summary>
    protected virtual void BecomingPrimary(ImmortalContext context)
    {
    }

    /// <summary>Writes additional state that is not in fields, or in fields marked <c>[NotSaved]</c>. Called at every checkpoint.</summary>
    protected virtual void OnSave(IBufferWriter<byte> output)
    {
    }

    /// <summary>Reads what <see cref="OnSave"/> wrote; fields have their values already.</summary>
    /// <param name="saved">Valid during the call only; empty if nothing was written.</param>
    protected virtual void OnRestore(ReadOnlySequence<byte> saved)
    {
    }

    /// <summary>Calls the handler that a message names; generated.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    protected abstract void Dispatch(ref IncomingCall call);

    // The runtime reaches the protected members through these: an override in another assembly could not say "protected internal".
    /// <summary>The object that serves in this one's place: the state that was found may be of another class.</summary>
    internal Immortal Acting => _runtime?.Immortal ?? this;

    internal bool IsPrimary => _runtime is { IsPrimary: true };

    /// <summary>
    /// No effect begins or is being performed, those that failed may wait for their next attempt; and no schedule is due.
    /// </summary>
    internal bool OutsideRests => _runtime?.OutsideRests ?? true;

    internal ImmortalContract GetContract() => Contract;

    internal DurableTask InvokeOnFirstStart() => OnFirstStart();

    internal void InvokeBecomingPrimary(ImmortalContext context) => BecomingPrimary(context);

    internal void InvokeOnSave(IBufferWriter<byte> output) => OnSave(output);

    internal void InvokeOnRestore(ReadOnlySequence<byte> saved) => OnRestore(saved);

    internal void InvokeDispatch(ref IncomingCall call) => Dispatch(ref call);

    internal void Bind(ImmortalRuntime runtime)
    {
        if (_runtime is not null)
        {
            throw new InvalidOperationException($"This {GetType().Name} is running already: every instance needs an object of its own.");
        }

        _runtime = runtime;
    }
}
