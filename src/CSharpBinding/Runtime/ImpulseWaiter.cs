using System.Diagnostics;

namespace Ambrosia.Runtime;

/// <summary>
/// Code outside of the immortal that waits for the handler of an impulse to end. Never saved: after a restart nobody waits.
/// </summary>
internal abstract class ImpulseWaiter
{
    /// <summary>The span in which the impulse was sent, if calls are traced.</summary>
    public ActivityContext Client { get; } = CallTelemetry.IsTracing && Activity.Current is { } sender ? sender.Context : default;

    /// <summary>The handler has ended with this encoded value (empty without a result).</summary>
    public abstract void Complete(ReadOnlySpan<byte> value);

    /// <summary>The handler has failed, or its outcome will never be known here.</summary>
    public abstract void Fail(Exception error);
}
