using Ambrosia.Coordinator.Outside;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// Whether a key is one of the instance that is served here. Where the log ends with the process the next one knows no key of it, so there
/// each key must name the instance (docs/internals/outside-calls.md X27).
/// </summary>
/// <param name="instance">Name of the instance.</param>
/// <param name="entrance">Knows its id.</param>
/// <param name="logEndsWithProcess">Whether its log is in memory only.</param>
internal sealed class KeyScope(string instance, IOutsideEntrance entrance, bool logEndsWithProcess)
{
    /// <summary>Why neither a call with this key may run here, nor be said not to have run; null if it may.</summary>
    /// <param name="key">The key; null if the call has none.</param>
    public Problem? RefusalOf(IdempotencyKey? key)
    {
        if (key is not { } given || (given.InstanceId is null && !logEndsWithProcess))
        {
            return null;
        }

        return entrance.InstanceId is not { } here ? Problem.Of(OutsideReplyKind.Unavailable)
            : given.InstanceId is null ? Problem.KeyWithoutInstance(instance, here.ToString("N"))
            : given.InstanceId == here ? null
            : Problem.KeyOfAnother(instance, here.ToString("N"));
    }
}
