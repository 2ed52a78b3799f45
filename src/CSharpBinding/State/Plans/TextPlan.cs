namespace Ambrosia.Runtime;

/// <summary>A class of .NET with a text that it can be made from again.</summary>
internal sealed class TextPlan<T>(Type type, Func<T, string> format, Func<string, T> parse) : ObjectPlan
    where T : class
{
    public override Type Type => type;

    public override bool HasBody => false;

    public override void WriteSchema(WriteSession session) => session.WriteByte((byte)Category.Text);

    public override void WriteHeader(WriteSession session, object value) => session.WriteText(format((T)value));

    public override string? Match(SavedType saved) => saved.Category == Category.Text ? null : "it is saved as a text now";

    public override object Allocate(ReadSession session, SavedType saved)
    {
        string text = session.ReadText();
        try
        {
            return parse(text);
        }
        catch (FormatException e)
        {
            throw new StateFormatException($"'{text}', which is no {TypeNames.Display(type)}", session.Position, e);
        }
    }
}
