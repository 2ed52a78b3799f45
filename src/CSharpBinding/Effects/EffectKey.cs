using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>Names an effect within its immortal: the message whose turn asked for it, and its place among that turn's effects.</summary>
internal readonly record struct EffectKey(ulong Lsn, int Index, int Ordinal) : IComparable<EffectKey>
{
    public int CompareTo(EffectKey other) => (Lsn, Index, Ordinal).CompareTo((other.Lsn, other.Index, other.Ordinal));

    public override string ToString() => $"{Lsn}:{Index}:{Ordinal}";
}
