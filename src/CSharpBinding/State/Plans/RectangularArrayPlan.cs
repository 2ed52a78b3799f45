namespace Ambrosia.Runtime;

/// <summary>An array of several dimensions, or one that does not begin at zero.</summary>
internal sealed class RectangularArrayPlan(Type type, Codec codec) : ObjectPlan
{
    public override Type Type => type;

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Array);
        codec.WriteWire(session);
    }

    public override void WriteHeader(WriteSession session, object value) => ArrayLengths.Write(session, (Array)value, type.GetArrayRank());

    public override void WriteBody(WriteSession session, object value)
    {
        foreach (object? item in (Array)value)
        {
            codec.WriteBoxed(session, item);
        }
    }

    public override string? Match(SavedType saved) =>
        saved.Category == Category.Array && codec.Accepts(saved.Wires[0]) ? null : "its elements have another form";

    public override object Allocate(ReadSession session, SavedType saved)
    {
        ArrayLengths.Read(session, saved, out int[] lengths, out int[] bounds);
        return Array.CreateInstance(type.GetElementType()!, lengths, bounds);
    }

    public override void ReadBody(ReadSession session, SavedType saved, object target)
    {
        Array array = (Array)target;
        int[] at = new int[array.Rank];
        for (int dimension = 0; dimension < at.Length; dimension++)
        {
            at[dimension] = array.GetLowerBound(dimension);
        }
        for (long left = array.LongLength; left > 0; left--)
        {
            array.SetValue(codec.ReadBoxed(session), at);
            Advance(array, at);
        }
    }

    private static void Advance(Array array, int[] at)
    {
        for (int dimension = at.Length - 1; dimension >= 0; dimension--)
        {
            if (++at[dimension] <= array.GetUpperBound(dimension))
            {
                return;
            }
            at[dimension] = array.GetLowerBound(dimension);
        }
    }
}
