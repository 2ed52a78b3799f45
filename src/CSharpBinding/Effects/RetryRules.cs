using Ambrosia.Telemetry;

namespace Ambrosia.Runtime;

/// <summary>When an effect is tried again, how long is waited until then, and when its time is up.</summary>
internal sealed class RetryRules(IEffectRuntime runtime, OutsideSettings settings)
{
    /// <summary>How long one attempt may take.</summary>
    /// <param name="running">The effect.</param>
    /// <param name="left">What its policy leaves it in all; null without a bound.</param>
    public TimeSpan LimitOf(RunningEffect running, TimeSpan? left) =>
        TimeSpan.FromTicks(Math.Min(PolicyOf(running).TimeoutTicks, left?.Ticks ?? long.MaxValue));

    /// <summary>What is left of the time within which it must be done; null without a bound.</summary>
    public TimeSpan? LeftOf(RunningEffect running) => PolicyOf(running).WithinTicks is > 0 and var within
        ? TimeSpan.FromTicks(within) - running.Age - settings.Time.GetElapsedTime(running.Begun)
        : null;

    /// <summary>Its outcome when nothing is left.</summary>
    public TimeoutException GivenUp(RunningEffect running)
    {
        string last = running.LastError is { } error ? $" The last attempt failed: {error}" : "";
        return new TimeoutException(
            $"{running.Effect.Method.Name} was not done within {TimeSpan.FromTicks(PolicyOf(running).WithinTicks)}.{last}");
    }

    /// <summary>Whether this failure is its outcome: it will not pass, or was tried often enough.</summary>
    public bool IsFinal(RunningEffect running, Exception failure)
    {
        bool mayPass = failure is MissingPerformerException || ProcessFailure.Is(failure) || (TransientFailures.Is(failure)
            && runtime.Exceptions.Find(failure.GetType().FullName ?? "") is null); // What an interface declares is an answer.
        return !mayPass || (PolicyOf(running).Attempts > 0 && running.Attempts >= PolicyOf(running).Attempts
            && failure is not MissingPerformerException);
    }

    /// <summary>How long is waited after an attempt that failed.</summary>
    public TimeSpan PauseAfter(RunningEffect running)
    {
        TimeSpan pause = PolicyOf(running).PauseAfter(running.Attempts, Chance(running));
        TimeSpan rest = LeftOf(running) ?? pause;
        // A clock may tell late, and no negative time can be waited for.
        return rest >= pause ? pause : rest > TimeSpan.Zero ? rest : TimeSpan.Zero;
    }

    // Spread by the effect itself: as good as chance between effects, and the same in every run of a test.
    private static double Chance(RunningEffect running) =>
        (running.Effect.Hash() + ((ulong)running.Attempts * 0x9E3779B97F4A7C15)) / (double)ulong.MaxValue;

    private EffectPolicy PolicyOf(RunningEffect running) => settings.Effects.Retry.Of(running.Effect);
}
