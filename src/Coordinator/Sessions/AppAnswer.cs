using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>What an app answered to a query.</summary>
/// <param name="Lsn">The record after which it is so.</param>
/// <param name="Status">Whether there is a result.</param>
/// <param name="Body">The result, or the reason why there is none.</param>
public sealed record AppAnswer(ulong Lsn, QueryStatus Status, byte[] Body);
