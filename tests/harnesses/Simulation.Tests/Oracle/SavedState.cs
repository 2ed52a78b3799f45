using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>What an app's checkpoint was taken of.</summary>
/// <param name="Sent">How many messages had been sent to whom.</param>
/// <param name="Lsn">The last record that had been executed.</param>
/// <param name="Without">Messages that are out, and without which the state was made.</param>
/// <param name="Lineage">The versions that have made it.</param>
internal sealed record SavedState(IReadOnlyDictionary<string, int> Sent, ulong Lsn, IReadOnlySet<MessagePosition> Without, Lineage Lineage);
