using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>A <see cref="Tuple"/>: immutable, so made at the first reference.</summary>
internal sealed class TuplePlan(Type type, Codec[] codecs) : ObjectPlan
{
    public override Type Type => type;

    public override bool HasBody => false;

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Inline);
        session.WriteByte(0);
        session.WriteVarint(0);
        session.WriteVarint((ulong)codecs.Length);
        foreach (Codec codec in codecs)
        {
            codec.WriteWire(session);
        }
    }

    public override void WriteHeader(WriteSession session, object value)
    {
        session.WriteVarint(1);
        for (int i = 0; i < codecs.Length; i++)
        {
            // The eighth argument is a tuple itself, which ITuple would flatten.
            codecs[i].WriteBoxed(session, i < 7 ? ((ITuple)value)[i] : type.GetProperty("Rest")!.GetValue(value));
        }
    }

    public override string? Match(SavedType saved)
    {
        bool same = saved.Category == Category.Inline && saved.Wires.Count == codecs.Length && saved.LeadingVarints == 0
            && !saved.HasComparer;
        for (int i = 0; same && i < codecs.Length; i++)
        {
            same = codecs[i].Accepts(saved.Wires[i]);
        }
        return same ? null : "its items have another form";
    }

    public override object Allocate(ReadSession session, SavedType saved)
    {
        if (session.ReadVarint() != 1)
        {
            throw session.Corrupt("a tuple of another count");
        }
        return Activator.CreateInstance(type, Array.ConvertAll(codecs, codec => codec.ReadBoxed(session)))!;
    }
}
