namespace Ambrosia.Runtime;

/// <summary>Where a <see cref="DurableCell"/> is in its one-way life.</summary>
internal enum CellStatus : byte
{
    Pending,
    Succeeded,
    Failed,
}
