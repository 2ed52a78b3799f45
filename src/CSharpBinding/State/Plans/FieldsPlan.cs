using System.Reflection;
using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>
/// A class, field by field. No constructor runs, unless some field is not in the saved state: then the parameterless one, if there is one,
/// gives it its initial value.
/// </summary>
internal class FieldsPlan(FieldSet fields) : ObjectPlan
{
    private readonly ConstructorInfo? _constructor =
        fields.Type.GetConstructor(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic, []);
    private ClassAccess? _emitted;

    public override Type Type => fields.Type;

    public override bool FillsExisting => true;

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Fields);
        fields.WriteSchema(session);
    }

    public override string? Match(SavedType saved) =>
        saved.Category == Category.Fields ? fields.Match(saved) : "it is saved field by field now";

    public override object Allocate(ReadSession session, SavedType saved)
    {
        if ((!saved.IsIdentical || fields.HasUnsaved) && _constructor is not null)
        {
            return _constructor.Invoke(BindingFlags.DoNotWrapExceptions, null, [], null);
        }
        return RuntimeHelpers.GetUninitializedObject(Type);
    }

    public override void WriteBody(WriteSession session, object value)
    {
        if (session.Emit)
        {
            (_emitted ??= FieldEmitter.ForClass(fields)).Write(session, value);
        }
        else
        {
            fields.WriteByReflection(session, value);
        }
    }

    public override void ReadBody(ReadSession session, SavedType saved, object target)
    {
        if (!saved.IsIdentical)
        {
            saved.ReadEvolvedFields(session, target);
        }
        else if (session.Emit)
        {
            (_emitted ??= FieldEmitter.ForClass(fields)).Read(session, target);
        }
        else
        {
            fields.ReadByReflection(session, target);
        }
    }
}
