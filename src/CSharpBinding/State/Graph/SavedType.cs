namespace Ambrosia.Runtime;

/// <summary>
/// An entry of a saved state's type table: what it is called, how its instances are laid out, and what it is in this build.
/// </summary>
internal sealed class SavedType
{
    private FieldPlan?[]? _map;

    /// <summary>The present type; null if there is none, see <see cref="Problem"/>.</summary>
    public Type? Resolved { get; set; }

    /// <summary>For people.</summary>
    public string Description { get; set; } = "?";

    /// <summary>True for what the compiler made for a method, and for types made of such.</summary>
    public bool IsContinuation { get; set; }

    /// <summary>Why instances cannot be made, or null.</summary>
    public string? Problem { get; set; }

    public Primitive Primitive { get; init; }

    public bool HasSchema { get; set; }

    public Category Category { get; set; }

    public IReadOnlyList<SavedField> Fields { get; set; } = [];

    public IReadOnlyList<Wire> Wires { get; set; } = [];

    public int ArrayRank { get; set; }

    public bool HasComparer { get; set; }

    public int LeadingVarints { get; set; }

    public int SmallestSize { get; set; } = 1;

    /// <summary>How objects of the type are read; null if they cannot be.</summary>
    public ObjectPlan? Plan { get; set; }

    /// <summary>True if the saved fields are exactly the present ones.</summary>
    public bool IsIdentical { get; private set; } = true;

    /// <summary>Saved fields that have no place.</summary>
    public IEnumerable<SavedField> Unplaced => _map is null ? [] : Fields.Where((_, i) => _map[i] is null);

    public void MapFields(FieldPlan?[] map, bool identical)
    {
        _map = map;
        IsIdentical = identical;
    }

    /// <summary>Reads the saved fields into those that are still there and skips the others.</summary>
    public void ReadEvolvedFields(ReadSession session, object target)
    {
        for (int i = 0; i < Fields.Count; i++)
        {
            if (_map![i] is { } present)
            {
                present.Field.SetValue(target, present.Codec.ReadBoxed(session));
            }
            else
            {
                session.Skip(Fields[i].Wire);
            }
        }
        if (Fields.Count == 0 && Category == Category.Struct)
        {
            session.ReadByte();
        }
    }
}
