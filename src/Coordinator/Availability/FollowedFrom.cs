using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;

namespace Ambrosia.Coordinator.Availability;

/// <summary>What a secondary has begun with.</summary>
/// <param name="Checkpoint">The checkpoint.</param>
/// <param name="UnloggedUpgrade">The upgrade that it committed, unless a record after it says so; null if it committed none.</param>
/// <param name="UnloggedBuild">The build that it names, and the log does not; null if there is none.</param>
internal sealed record FollowedFrom(Lsn Checkpoint, VersionChange? UnloggedUpgrade, BuildStep? UnloggedBuild);
