namespace Ambrosia.Runtime;

/// <summary>
/// A <see cref="DurableDictionary{TKey, TValue}"/> or <see cref="DurableSet{T}"/>: items with the distance of their sequence numbers, so
/// that a saved enumeration finds its place again.
/// </summary>
internal sealed class OrderedPlan<TCollection, TItem, TKey, TValue>(
    Codec<TItem> codec,
    Func<TCollection, OrderedTable<TKey, TValue>> tableOf,
    Func<IEqualityComparer<TKey>?, TCollection> create,
    Func<TKey, TValue, TItem> pack,
    Func<TItem, (TKey, TValue)> unpack) : ObjectPlan
    where TCollection : class
{
    public override Type Type => typeof(TCollection);

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Sequence);
        session.WriteByte(1);
        session.WriteVarint(1);
        session.WriteVarint(2);
        session.WriteVarint(StateFormat.VarintWire);
        codec.WriteWire(session);
    }

    public override void WriteHeader(WriteSession session, object value) =>
        Comparers.Write(session, Comparers.Named(tableOf((TCollection)value).Comparer));

    public override void WriteBody(WriteSession session, object value)
    {
        OrderedTable<TKey, TValue> table = tableOf((TCollection)value);
        if (!KnownTypes.IsLeaf(typeof(TKey)))
        {
            KnownCollections.RequireDistinct(KeysOf(table), table.Comparer, typeof(TCollection));
        }
        session.WriteVarint((ulong)table.NextSequence);
        session.WriteVarint((ulong)table.Count);
        long last = 0;
        long previous = 0;
        int hint = 0;
        while (table.Next(ref last, ref hint, out TKey? key, out TValue? item))
        {
            session.WriteVarint((ulong)(last - previous));
            previous = last;
            TItem written = pack(key, item);
            Codec<TItem>.Write(session, ref written);
        }
    }

    public override string? Match(SavedType saved) => saved.Category == Category.Sequence && saved.HasComparer && saved.LeadingVarints == 1
        && saved.Wires.Count == 2 && codec.Accepts(saved.Wires[1])
            ? null
            : "its items have another form";

    public override object Allocate(ReadSession session, SavedType saved) => create((IEqualityComparer<TKey>?)Comparers.Read(session));

    public override void ReadBody(ReadSession session, SavedType saved, object target)
    {
        long next = checked((long)session.ReadVarint());
        int count = session.ReadCount(1 + saved.Wires[1].SmallestSize, "a collection");
        long[] sequences = new long[count];
        TItem[] items = new TItem[count];
        long last = 0;
        for (int i = 0; i < count; i++)
        {
            ulong distance = session.ReadVarint();
            if (distance == 0 || distance > (ulong)(next - last))
            {
                throw session.Corrupt("items that are not in the order of their insertion");
            }
            sequences[i] = last += (long)distance;
            Codec<TItem>.Read(session, ref items[i]);
        }
        session.Defer(() => Fill(tableOf((TCollection)target), next, sequences, items));
    }

    private static IEnumerable<TKey> KeysOf(OrderedTable<TKey, TValue> table)
    {
        long last = 0;
        int hint = 0;
        while (table.Next(ref last, ref hint, out TKey? key, out _))
        {
            yield return key;
        }
    }

    private void Fill(OrderedTable<TKey, TValue> table, long next, long[] sequences, TItem[] items)
    {
        for (int i = 0; i < items.Length; i++)
        {
            (TKey key, TValue value) = unpack(items[i]);
            if (table.Contains(key))
            {
                throw new ArgumentException($"two keys of {TypeNames.Display(typeof(TCollection))} are equal now: {key}");
            }
            table.Append(sequences[i], key, value);
        }
        table.ContinueAt(next);
    }
}
