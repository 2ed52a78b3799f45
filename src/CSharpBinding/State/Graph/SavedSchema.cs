namespace Ambrosia.Runtime;

/// <summary>Reads how instances of a saved type are laid out; see <see cref="Category"/>.</summary>
internal static class SavedSchema
{
    public static void Read(ReadSession session, SavedType type)
    {
        type.Category = (Category)session.ReadByte();
        switch (type.Category)
        {
            case Category.Fields or Category.Exception or Category.Struct:
                ReadFields(session, type);
                break;
            case Category.Array:
                type.Wires = [session.ReadWire()];
                break;
            case Category.Enum or Category.Nullable:
                type.Wires = [session.ReadWire()];
                type.SmallestSize = type.Category == Category.Enum ? type.Wires[0].SmallestSize : 1;
                break;
            case Category.Sequence or Category.Inline:
                type.HasComparer = session.ReadFlag();
                type.LeadingVarints = session.ReadSmall(4, "the number of leading numbers");
                type.Wires = ReadWires(session, session.ReadSmall(16, "the number of wires"));
                break;
            case Category.Text or Category.TypeObject or Category.Delegate:
                break;
            default:
                throw session.Corrupt($"a type of category {(byte)type.Category}");
        }
    }

    private static void ReadFields(ReadSession session, SavedType type)
    {
        SavedField[] fields = new SavedField[session.ReadCount(2, "the fields of a type")];
        for (int i = 0; i < fields.Length; i++)
        {
            fields[i] = new SavedField(session.ReadText(), session.ReadWire());
        }
        type.Fields = fields;
        type.SmallestSize = (int)Math.Clamp(fields.Sum(static field => (long)field.Wire.SmallestSize), 1, int.MaxValue);
    }

    private static Wire[] ReadWires(ReadSession session, int count)
    {
        Wire[] wires = new Wire[count];
        for (int i = 0; i < count; i++)
        {
            wires[i] = session.ReadWire();
        }
        return wires;
    }
}
