namespace Ambrosia.Runtime;

/// <summary>An immutable collection: made at the first reference, from items whose own content may still follow.</summary>
internal sealed class InlinePlan<TCollection, TItem>(Codec<TItem> codec, Collection<TCollection, TItem> collection,
    Func<object?, TItem[], TCollection> make) : ObjectPlan
    where TCollection : class
{
    public override Type Type => typeof(TCollection);

    public override bool HasBody => false;

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Inline);
        session.WriteByte(collection.Comparer is null ? (byte)0 : (byte)1);
        session.WriteVarint(0);
        session.WriteVarint(1);
        codec.WriteWire(session);
    }

    public override void WriteHeader(WriteSession session, object value)
    {
        TCollection items = (TCollection)value;
        if (collection.Comparer is { } comparer)
        {
            Comparers.Write(session, comparer(items));
        }
        session.WriteVarint((ulong)collection.Count(items));
        foreach (TItem item in session.Canonical && collection.Unordered ? CanonicalOrder.Of(collection.Items(items))
            : collection.Items(items))
        {
            TItem written = item;
            Codec<TItem>.Write(session, ref written);
        }
    }

    public override string? Match(SavedType saved) =>
        saved.Category == Category.Inline && saved.Wires.Count == 1 && saved.LeadingVarints == 0
        && saved.HasComparer == (collection.Comparer is not null) && codec.Accepts(saved.Wires[0])
            ? null
            : "its items have another form";

    public override object Allocate(ReadSession session, SavedType saved)
    {
        object? comparer = saved.HasComparer ? Comparers.Read(session) : null;
        TItem[] items = new TItem[session.ReadCount(saved.Wires[0].SmallestSize, "a collection")];
        foreach (ref TItem item in items.AsSpan())
        {
            Codec<TItem>.Read(session, ref item);
        }
        try
        {
            TCollection made = make(comparer, items);
            if (collection.Count(made) == items.Length)
            {
                return made;
            }
        }
        catch (ArgumentException)
        {
            // Keys that are equal now, with values that are not.
        }
        session.Refuse(
            $"{TypeNames.Display(typeof(TCollection))}: two of its keys or items are equal in this build, "
            + "which were not when they were saved");
        return make(comparer, []); // The end of the reading throws.
    }
}
