namespace Ambrosia.Protocol;

/// <summary>Bits by which Hello and Welcome agree on what not every binding can do.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class BindingFeatures
{
    /// <summary>The binding takes records in steps, and says which message it begins.</summary>
    public const ulong Steps = 1;

    /// <summary>The binding takes records in parts (message 82): a debugger stops inside a record and asks for the state there.</summary>
    public const ulong Parts = 2;

    /// <summary>The app converts its state when it is asked to, and tells its version after each checkpoint that it loads.</summary>
    public const ulong Upgrades = 4;

    /// <summary>The app wants to be let in beside the one that is attached, to take its place: docs/internals/upgrades.md.</summary>
    public const ulong TakesOver = 8;

    /// <summary>
    /// The binding takes limits in-stream (message 87) and executes each record under those that were in force when it was new.
    /// </summary>
    public const ulong Limits = 16;

    /// <summary>
    /// The app compares its build with the one that saved a checkpoint, and says after each checkpoint that it loads how they relate
    /// (message 90): docs/internals/upgrades.md. Records that no app has executed yet are marked for it.
    /// </summary>
    public const ulong Builds = 32;

    /// <summary>The app that acts tells what it answers to (message 91), for people who look into its log.</summary>
    public const ulong Contracts = 64;

    /// <summary>The binding asks before it leaves (message 77), and waits for Goodbye: a clean stop ends with a checkpoint.</summary>
    public const ulong Farewell = 128;

    /// <summary>The app that acts tells how its effects stand (message 92), for people: docs/guide/effects.md.</summary>
    public const ulong Effects = 256;

    /// <summary>A replay is told each effect that a turn asks for (message 93): docs/internals/effect-rules.md E23.</summary>
    public const ulong EffectRequests = 512;

    /// <summary>
    /// The app that acts tells how its schedules and compensations stand (message 94), for people: docs/guide/schedules.md.
    /// </summary>
    public const ulong Routines = 1024;

    /// <summary>
    /// The app that acts tells what its methods take and return (message 95), for calls from outside: docs/internals/shapes.md.
    /// </summary>
    public const ulong Shapes = 2048;

    /// <summary>The binding takes the key of awakeables in-stream (message 96): docs/internals/outside-calls.md X29.</summary>
    public const ulong Awakeables = 4096;

    /// <summary>What a coordinator agrees to. One that only replays a log agrees to others.</summary>
    public const ulong OfCoordinators = Steps | Upgrades | Limits | Builds | Contracts | Farewell | Effects
        | Routines | Shapes | Awakeables;
}
