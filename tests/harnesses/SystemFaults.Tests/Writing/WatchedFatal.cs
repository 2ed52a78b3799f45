using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.SystemFaults.Tests.Writing;

/// <summary>Where the process would end; ours notes it and lives on.</summary>
internal sealed class WatchedFatal : IFatal
{
    /// <summary>Exit code and line of the first call.</summary>
    public (int ExitCode, string Line)? Death { get; private set; }

    public void Die(int exitCode, string line) => Death ??= (exitCode, line);
}
