namespace Ambrosia.Runtime;

/// <summary>An object that the host saves by a text.</summary>
internal sealed class HandlerPlan(Type type, ObjectHandler handler) : ObjectPlan
{
    public override Type Type => type;

    public override bool HasBody => false;

    public override void WriteSchema(WriteSession session) => session.WriteByte((byte)Category.Text);

    public override void WriteHeader(WriteSession session, object value) => session.WriteText(handler.Save(value));

    public override string? Match(SavedType saved) => saved.Category == Category.Text ? null : "it is saved as a text now";

    public override object Allocate(ReadSession session, SavedType saved)
    {
        object made = handler.Restore(type, session.ReadText());
        return made.GetType() == type
            ? made
            : throw new InvalidOperationException(
                $"{handler.GetType().Name} restored a {TypeNames.Display(made.GetType())} instead of a {TypeNames.Display(type)}.");
    }
}
