namespace Ambrosia.Runtime;

/// <summary>A struct, field by field. One without fields takes a byte, so that no count of values is free of bytes.</summary>
internal sealed class StructCodec<T> : ValueCodec<T>
    where T : struct
{
    private readonly FieldSet _fields;
    private StructAccess<T>? _emitted;

    public StructCodec(FieldSet fields)
    {
        _fields = fields;
        SmallestSize = Math.Max(1, fields.Fields.Sum(field => field.Codec.SmallestSize));
    }

    public override int SmallestSize { get; }

    public override void Write(WriteSession session, ref T value)
    {
        if (_fields.Fields.Count == 0)
        {
            session.WriteByte(0);
        }
        else if (session.Emit)
        {
            (_emitted ??= FieldEmitter.ForStruct<T>(_fields)).Write(session, ref value);
        }
        else
        {
            _fields.WriteByReflection(session, value);
        }
    }

    public override void Read(ReadSession session, ref T value)
    {
        if (session.EvolvedOf(typeof(T)) is { } evolved)
        {
            object box = default(T);
            evolved.ReadEvolvedFields(session, box);
            value = (T)box;
        }
        else if (_fields.Fields.Count == 0)
        {
            session.ReadByte();
        }
        else if (session.Emit)
        {
            (_emitted ??= FieldEmitter.ForStruct<T>(_fields)).Read(session, ref value);
        }
        else
        {
            object box = default(T);
            _fields.ReadByReflection(session, box);
            value = (T)box;
        }
    }

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Struct);
        _fields.WriteSchema(session);
    }

    public override string? Match(SavedType saved) =>
        saved.Category == Category.Struct ? _fields.Match(saved) : "it is a struct now";
}
