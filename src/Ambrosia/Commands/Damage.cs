using Ambrosia.LogStore.Errors;

namespace Ambrosia.Cli.Commands;

/// <summary>Tells damage from what only hinders.</summary>
internal static class Damage
{
    /// <summary>
    /// Whether a failure says that bytes are damaged, missing or of another log, and not that they could not be looked at.
    /// </summary>
    public static bool Is(LogStoreException error) => error.ExitCode == ExitCode.StoreDamaged || error.Error == StoreErrors.LogOfAnother;
}
