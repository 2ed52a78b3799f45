using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What a watched query answers now.</summary>
/// <param name="Version">Grows with each answer that differs from the one before; 0 before the first.</param>
/// <param name="Record">The last record after which it is known to be true.</param>
/// <param name="Result">The answer, as the app gives it.</param>
/// <param name="Method">The query.</param>
internal sealed record WatchedValue(long Version, ulong Record, ReadOnlyMemory<byte> Result, MethodShape Method)
{
    /// <summary>Why there will be no other one; null while there may.</summary>
    public Problem? End { get; init; }
}
