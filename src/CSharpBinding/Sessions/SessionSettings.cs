using Ambrosia.Runtime;
using Ambrosia.Upgrading;

namespace Ambrosia.Sessions;

/// <summary>What a session with the coordinator is given by its host.</summary>
internal sealed record SessionSettings : RuntimeSettings
{
    /// <summary>How states of other classes become this one; null: they do not, and no attached app is replaced.</summary>
    public UpgradeSettings? Upgrades { get; init; }
}
