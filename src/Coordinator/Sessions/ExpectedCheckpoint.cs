using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>A checkpoint that an app is asked for, and what is true at its record.</summary>
/// <param name="Lsn">The record that it lies behind.</param>
/// <param name="Inputs">Inputs as of that record.</param>
/// <param name="LargestMessage">Largest message that a handler may send after it; 0: not known.</param>
/// <param name="Awakeables">By what awakeables are named after it; null: there are none.</param>
internal sealed record ExpectedCheckpoint(Lsn Lsn, List<InputWatermark> Inputs, long LargestMessage, AwakeableKey? Awakeables);
