namespace Ambrosia.Runtime;

/// <summary>The lengths of an array: one number for a vector; length and lower bound of each dimension otherwise.</summary>
internal static class ArrayLengths
{
    public static void Write(WriteSession session, Array array, int rank)
    {
        if (rank == 0)
        {
            session.WriteVarint((ulong)array.LongLength);
            return;
        }
        for (int dimension = 0; dimension < rank; dimension++)
        {
            session.WriteVarint((ulong)array.GetLength(dimension));
            session.WriteNumber(array.GetLowerBound(dimension));
        }
    }

    /// <summary>The number of elements, for which there must be enough bytes.</summary>
    public static long Read(ReadSession session, SavedType type, out int[] lengths, out int[] bounds)
    {
        int rank = Math.Max(1, type.ArrayRank);
        lengths = new int[rank];
        bounds = new int[rank];
        UInt128 total = 1;
        for (int dimension = 0; dimension < rank; dimension++)
        {
            lengths[dimension] = session.ReadSmall(int.MaxValue, "the length of an array");
            bounds[dimension] = type.ArrayRank == 0 ? 0 : session.ReadNumber<int>();
            total = UInt128.Min(total * (uint)lengths[dimension], int.MaxValue);
        }
        session.Charge((long)total * type.Wires[0].SmallestSize, "an array");
        return (long)total;
    }
}
