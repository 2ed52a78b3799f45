using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>The process would end here; ours lives on without power, and the log refuses everything.</summary>
internal sealed class IgnoredFatal : IFatal
{
    public void Die(int exitCode, string line)
    {
    }
}
