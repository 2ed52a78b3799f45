namespace Ambrosia.Runtime;

/// <summary>A collection that can be made empty and filled later.</summary>
internal sealed class SequencePlan<TCollection, TItem>(Codec<TItem> codec, Collection<TCollection, TItem> collection) : ObjectPlan
    where TCollection : class
{
    public override Type Type => typeof(TCollection);

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Sequence);
        session.WriteByte(collection.Comparer is null ? (byte)0 : (byte)1);
        session.WriteVarint(0);
        session.WriteVarint(1);
        codec.WriteWire(session);
    }

    public override void WriteHeader(WriteSession session, object value)
    {
        if (collection.Comparer is { } comparer)
        {
            Comparers.Write(session, comparer((TCollection)value));
        }
    }

    public override void WriteBody(WriteSession session, object value)
    {
        TCollection items = (TCollection)value;
        collection.RequireOrder?.Invoke(items);
        session.WriteVarint((ulong)collection.Count(items));
        foreach (TItem item in session.Canonical && collection.Unordered ? CanonicalOrder.Of(collection.Items(items))
            : collection.Items(items))
        {
            TItem written = item;
            Codec<TItem>.Write(session, ref written);
        }
    }

    public override string? Match(SavedType saved) =>
        saved.Category == Category.Sequence && saved.Wires.Count == 1 && saved.LeadingVarints == 0
        && saved.HasComparer == (collection.Comparer is not null) && codec.Accepts(saved.Wires[0])
            ? null
            : "its items have another form";

    public override object Allocate(ReadSession session, SavedType saved) =>
        collection.Create(saved.HasComparer ? Comparers.Read(session) : null);

    public override void ReadBody(ReadSession session, SavedType saved, object target)
    {
        TItem[] items = new TItem[session.ReadCount(saved.Wires[0].SmallestSize, "a collection")];
        foreach (ref TItem item in items.AsSpan())
        {
            Codec<TItem>.Read(session, ref item);
        }
        if (collection.Late)
        {
            session.Defer(() => collection.Fill((TCollection)target, items));
        }
        else
        {
            collection.Fill((TCollection)target, items);
        }
    }
}
