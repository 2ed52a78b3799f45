namespace Ambrosia.Protocol;

/// <summary>Method ids below zero: messages between runtime and coordinator rather than of the user's interface.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ReservedMethods
{
    /// <summary>The first message of an immortal's life.</summary>
    public const int OnFirstStart = -1;

    /// <summary>Fires a durable timer; an impulse to itself whose argument is the zig-zag timer id.</summary>
    public const int TimerFire = -2;

    /// <summary>In a query only: asks for a method by its name.</summary>
    public const int QueryByName = -3;

    /// <summary>
    /// How an InitialMessage of the published protocol lies in the log: a fork to itself whose arguments are the bytes that the app gave,
    /// whatever they are.
    /// </summary>
    public const int InitialMessage = -4;

    /// <summary>
    /// The outcome of an effect on the outside; an impulse to itself whose arguments say of which one. Ids from here down are never taken
    /// from another instance:
    /// it could forge what only the immortal knows.
    /// </summary>
    public const int EffectDone = -5;

    /// <summary>
    /// An impulse to itself that says which effects may end their process; in a query: what a person decides about one that did.
    /// </summary>
    public const int EffectNote = -6;

    /// <summary>
    /// An impulse to itself that runs an occurrence of a schedule, says which one comes next, or both: chosen by the process that acts, so
    /// that a replay looks into no rules of time zones.
    /// </summary>
    public const int ScheduleStep = -7;

    /// <summary>
    /// Completes an awakeable: an async call from outside whose arguments say which one and how (<see cref="AwakeableCompletion"/>).
    /// </summary>
    public const int AwakeableDone = -8;

    /// <summary>
    /// In a query only: what the app waits for. The result is a <see cref="WaitingTold"/>. A binding that does not know it answers as to
    /// any query that it does not have.
    /// </summary>
    public const int Waiting = -9;

    /// <summary>
    /// Whether a message is a binding's own call by name, which has an id that means something else between C# immortals.
    /// </summary>
    public static bool IsPost(int id, ReadOnlySpan<byte> body) =>
        id is OnFirstStart or TimerFire && body.Length > 1 && body[0] == (byte)'{';
}
