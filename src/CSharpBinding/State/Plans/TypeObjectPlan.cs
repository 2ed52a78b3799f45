namespace Ambrosia.Runtime;

/// <summary>A <see cref="System.Type"/> object.</summary>
internal sealed class TypeObjectPlan(Type runtimeType) : ObjectPlan
{
    public override Type Type => typeof(Type);

    public override bool HasBody => false;

    public override void WriteSchema(WriteSession session) => session.WriteByte((byte)Category.TypeObject);

    public override void WriteHeader(WriteSession session, object value) => session.WriteType((Type)value);

    public override string? Match(SavedType saved) => saved.Category == Category.TypeObject ? null : "it is saved as a type now";

    public override object Allocate(ReadSession session, SavedType saved)
    {
        SavedType named = session.ReadType();
        if (named.Resolved is null)
        {
            session.Refuse($"{named.Description}: {named.Problem}");
            return runtimeType;
        }
        return named.Resolved;
    }
}
