namespace Ambrosia.Runtime;

/// <summary>A bare <see cref="object"/>, as used for its identity.</summary>
internal sealed class PlainPlan : ObjectPlan
{
    public override Type Type => typeof(object);

    public override bool HasBody => false;

    public override void WriteSchema(WriteSession session)
    {
    }

    public override string? Match(SavedType saved) => null;

    public override object Allocate(ReadSession session, SavedType saved) => new();
}
