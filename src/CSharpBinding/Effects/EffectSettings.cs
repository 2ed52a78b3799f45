namespace Ambrosia.Runtime;

/// <summary>How effects are performed, as the app's host says.</summary>
internal sealed record EffectSettings
{
    /// <summary>Nothing is registered: what implements an interface comes from the host's services.</summary>
    public static EffectSettings None { get; } = new();

    /// <summary>The process that performs them.</summary>
    public EffectPerformers Performers { get; init; } = EffectPerformers.None;

    /// <summary>How many attempts may run at once.</summary>
    public int AtOnce { get; init; } = 32;

    /// <summary>How long a clean stop waits for the attempts that run.</summary>
    public TimeSpan Drain { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>What stands in place of [Retry].</summary>
    public RetryOverrides Retry { get; init; } = RetryOverrides.None;

    /// <summary>The process that performs them, by whatever tells it from others; never 0.</summary>
    public ulong Life { get; init; } = 1;

    /// <summary>Stands around each attempt and performs it, or does not: a test host's faults.</summary>
    public Func<EffectContext, Func<Task>, Task>? Around { get; init; }
}
