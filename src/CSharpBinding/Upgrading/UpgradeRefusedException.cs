namespace Ambrosia.Upgrading;

/// <summary>The state was not converted. What was is untouched, unless the conversion itself has changed it.</summary>
/// <param name="reason">For people.</param>
/// <param name="mayPass">True if only suspended calls are in the way: later there may be none.</param>
internal sealed class UpgradeRefusedException(string reason, bool mayPass = false) : Exception(reason)
{
    public bool MayPass { get; } = mayPass;
}
