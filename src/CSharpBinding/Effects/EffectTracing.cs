using System.Diagnostics;

namespace Ambrosia.Runtime;

/// <summary>
/// A span for each attempt to perform an effect, for listeners of the source <see cref="SourceName"/>; without one, nothing is made.
/// What the attempt does, such as an HTTP request, is its child.
/// </summary>
internal static class EffectTracing
{
    /// <summary>Name of the source, by which it is listened to.</summary>
    public const string SourceName = "Ambrosia.Effects";

    /// <summary>The effect's outcome is what the class gave.</summary>
    public const string Done = "done";

    /// <summary>The effect's outcome is this exception.</summary>
    public const string Failed = "failed";

    /// <summary>The attempt failed, and there will be another one.</summary>
    public const string Retried = "retried";

    /// <summary>No outcome: the effect is no longer pending, or the process no longer acts.</summary>
    public const string Withdrawn = "withdrawn";

    private static readonly ActivitySource s_source = new(SourceName, typeof(EffectTracing).Assembly.GetName().Version?.ToString(3));

    /// <summary>An attempt begins.</summary>
    /// <returns>Its span, to be disposed at its end; null if nobody listens.</returns>
    public static Activity? Begin(RunningEffect running, string instance, Guid instanceId)
    {
        if (!s_source.HasListeners())
        {
            return null;
        }

        PendingEffect effect = running.Effect;
        string name = $"{effect.Contract.InterfaceName}.{effect.Method.Name}";
        return s_source.StartActivity($"effect {name}")
            ?.SetTag("ambrosia.instance", instance)
            .SetTag("ambrosia.effect", name)
            .SetTag("ambrosia.effect.id", $"{instanceId:D}/{effect.Key}")
            .SetTag("ambrosia.effect.attempt", running.Attempts);
    }

    /// <summary>An attempt has ended.</summary>
    public static void End(Activity? span, string outcome, Exception? failure = null)
    {
        if (span is null)
        {
            return;
        }

        span.SetTag("ambrosia.effect.outcome", outcome);
        if (failure is not null)
        {
            span.SetTag("error.type", failure.GetType().FullName);
            span.SetStatus(ActivityStatusCode.Error, failure.Message);
        }
    }
}
