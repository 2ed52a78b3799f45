namespace Ambrosia.Runtime;

/// <summary>Skips values and objects whose type is gone, by the layout that the state itself describes.</summary>
internal static class StateSkipper
{
    public static bool HasBody(SavedType type) =>
        type.Category is not (Category.Inline or Category.Text or Category.TypeObject or Category.Delegate)
        && type.Primitive != Primitive.Object;

    public static void SkipValue(ReadSession session, SavedType type)
    {
        if (type.Primitive != default)
        {
            session.Forms.CodecOf(TypeNames.TypeOf(type.Primitive)!).ReadBoxed(session);
            return;
        }
        switch (type.Category)
        {
            case Category.Struct:
                SkipFields(session, type);
                break;
            case Category.Enum:
                session.Skip(type.Wires[0]);
                break;
            case Category.Nullable:
                if (session.ReadFlag())
                {
                    session.Skip(type.Wires[0]);
                }
                break;
            default:
                throw session.Corrupt($"{type.Description} as a value");
        }
    }

    /// <summary>The number of an array's elements, otherwise 0.</summary>
    public static long SkipHeader(ReadSession session, SavedType type)
    {
        switch (type.Category)
        {
            case Category.Array:
                return ArrayLengths.Read(session, type, out _, out _);
            case Category.Sequence:
                SkipComparer(session, type);
                break;
            case Category.Inline:
                SkipComparer(session, type);
                SkipItems(session, type);
                break;
            case Category.Text:
                session.ReadText();
                break;
            case Category.TypeObject:
                session.ReadType();
                break;
            case Category.Delegate:
                SkipTargets(session);
                break;
            default:
                break;
        }
        return 0;
    }

    public static void SkipBody(ReadSession session, MissingObject missing)
    {
        SavedType type = missing.Type;
        switch (type.Category)
        {
            case Category.Exception:
                SkipException(session);
                SkipFields(session, type);
                break;
            case Category.Fields:
                SkipFields(session, type);
                break;
            case Category.Sequence:
                SkipItems(session, type);
                break;
            case Category.Array:
                for (long i = 0; i < missing.Items; i++)
                {
                    session.Skip(type.Wires[0]);
                }
                break;
            default:
                SkipValue(session, type);
                break;
        }
    }

    private static void SkipFields(ReadSession session, SavedType type)
    {
        foreach (SavedField field in type.Fields)
        {
            session.Skip(field.Wire);
        }
        if (type.Fields.Count == 0 && type.Category == Category.Struct)
        {
            session.ReadByte();
        }
    }

    private static void SkipComparer(ReadSession session, SavedType type)
    {
        if (type.HasComparer && session.ReadByte() == StateFormat.ComparerInState)
        {
            session.ReadReference();
        }
    }

    private static void SkipTargets(ReadSession session)
    {
        for (int left = session.ReadCount(4, "the targets of a delegate"); left > 0; left--)
        {
            session.ReadReference();
            session.ReadType();
            session.ReadText();
            session.ReadText();
        }
    }

    // What every exception has.
    private static void SkipException(ReadSession session)
    {
        session.ReadReference();
        session.ReadReference();
        session.ReadNumber<int>();
        session.ReadReference();
        session.ReadReference();
        for (int left = session.ReadCount(2, "the data of an exception"); left > 0; left--)
        {
            session.ReadReference();
            session.ReadReference();
        }
    }

    private static void SkipItems(ReadSession session, SavedType type)
    {
        for (int i = 0; i < type.LeadingVarints; i++)
        {
            session.ReadVarint();
        }
        int count = session.ReadCount(type.Wires.Sum(wire => wire.SmallestSize), "a collection");
        for (int i = 0; i < count; i++)
        {
            foreach (Wire wire in type.Wires)
            {
                session.Skip(wire);
            }
        }
    }
}
