using System.Collections;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace Ambrosia.Runtime;

/// <summary>
/// An exception: message, inner exception, number, help link, stack trace so far and data, then the fields of the derived classes.
/// </summary>
internal sealed class ExceptionPlan(FieldSet fields) : FieldsPlan(fields)
{
    private readonly FieldSet _fields = fields;

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Exception);
        _fields.WriteSchema(session);
    }

    public override string? Match(SavedType saved) =>
        saved.Category == Category.Exception ? _fields.Match(saved) : "it is an exception now";

    public override void WriteBody(WriteSession session, object value)
    {
        Exception exception = (Exception)value;
        session.WriteReference(Message(exception));
        session.WriteReference(exception.InnerException);
        session.WriteNumber(exception.HResult);
        session.WriteReference(exception.HelpLink);
        // Where an exception was thrown looks different after a restart (the frames of a resumed method), so it is no part of the hash.
        session.WriteReference(session.Canonical ? null : exception.StackTrace);
        session.WriteVarint((ulong)exception.Data.Count);
        foreach (DictionaryEntry entry in exception.Data)
        {
            session.WriteReference(entry.Key);
            session.WriteReference(entry.Value);
        }
        base.WriteBody(session, value);
    }

    public override void ReadBody(ReadSession session, SavedType saved, object target)
    {
        Exception exception = (Exception)target;
        Message(exception) = ReadText(session);
        Exception? inner = null;
        Codec<Exception?>.Read(session, ref inner);
        Inner(exception) = inner;
        exception.HResult = session.ReadNumber<int>();
        exception.HelpLink = ReadText(session);
        if (ReadText(session) is { Length: > 0 } stack)
        {
            ExceptionDispatchInfo.SetRemoteStackTrace(exception, stack);
        }
        ReadData(session, exception);
        base.ReadBody(session, saved, target);
    }

    private static void ReadData(ReadSession session, Exception exception)
    {
        int count = session.ReadCount(2, "the data of an exception");
        if (count == 0)
        {
            return;
        }
        KeyValuePair<object?, object?>[] data = new KeyValuePair<object?, object?>[count];
        for (int i = 0; i < count; i++)
        {
            data[i] = new(session.ReadReference(), session.ReadReference());
        }
        session.Defer(() =>
        {
            foreach ((object? key, object? value) in data)
            {
                exception.Data[key!] = value;
            }
        });
    }

    private static string? ReadText(ReadSession session)
    {
        string? text = null;
        Codec<string?>.Read(session, ref text);
        return text;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_message")]
    private static extern ref string? Message(Exception exception);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_innerException")]
    private static extern ref Exception? Inner(Exception exception);
}
