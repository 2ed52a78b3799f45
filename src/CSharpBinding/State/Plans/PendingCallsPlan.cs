namespace Ambrosia.Runtime;

/// <summary>The table of pending calls: the next number, then the calls in the order of their numbers.</summary>
internal sealed class PendingCallsPlan(Codec<IPendingCall> codec) : ObjectPlan
{
    public override Type Type => typeof(PendingCalls);

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Sequence);
        session.WriteByte(0);
        session.WriteVarint(1);
        session.WriteVarint(1);
        codec.WriteWire(session);
    }

    public override void WriteBody(WriteSession session, object value)
    {
        PendingCalls calls = (PendingCalls)value;
        session.WriteVarint((ulong)calls.NextNumber);
        session.WriteVarint((ulong)calls.Count);
        foreach (IPendingCall call in calls)
        {
            session.WriteReference(call);
        }
    }

    public override string? Match(SavedType saved) =>
        saved.Category == Category.Sequence && !saved.HasComparer && saved.LeadingVarints == 1 && saved.Wires.Count == 1
        && saved.Wires[0].IsReference
            ? null
            : "it has another form";

    public override object Allocate(ReadSession session, SavedType saved) => new PendingCalls();

    public override void ReadBody(ReadSession session, SavedType saved, object target)
    {
        long next = checked((long)session.ReadVarint());
        IPendingCall[] calls = new IPendingCall[session.ReadCount(1, "the pending calls")];
        foreach (ref IPendingCall call in calls.AsSpan())
        {
            Codec<IPendingCall>.Read(session, ref call);
        }
        // Late, because the numbers are in the calls themselves. A call that was refused is null.
        session.Defer(() => ((PendingCalls)target).Restore(next, calls));
    }
}
