namespace Ambrosia.Runtime;

/// <summary>Reads one state graph; the mirror of <see cref="WriteSession"/>.</summary>
internal sealed class ReadSession(Stream stream, long length, GraphOptions options, IStateForms forms) : StateInput(stream, length)
{
    private readonly List<object?> _objects = [];
    private readonly List<SavedType?> _bodies = [];
    private readonly TypeTableReader _types = new(options, forms);
    private readonly List<Action> _deferred = [];
    private readonly Dictionary<string, int> _refusals = [];
    private Dictionary<Type, SavedType>? _evolved;
    private object? _existing;
    private int _nesting;

    public bool Emit => options.Emit;

    /// <summary>How types are read.</summary>
    public IStateForms Forms => forms;

    public bool IsApplication(System.Reflection.Assembly assembly) => options.Contains(assembly);

    public object?[] Read(IReadOnlyList<object?> existing)
    {
        if (ReadNumber<uint>() != StateFormat.Magic || ReadByte() is var version && version != StateFormat.Version)
        {
            throw new StateFormatException("not a state graph of a version that this build reads", 0);
        }
        object?[] roots = new object?[ReadCount(1, "the roots")];
        for (int i = 0; i < roots.Length; i++)
        {
            _existing = i < existing.Count ? existing[i] : null;
            object? root = ReadReference();
            roots[i] = root is MissingObject ? Mismatch(root, typeof(object)) : root;
            _existing = null;
        }
        ReadBodies();
        if (!AtEnd)
        {
            throw Corrupt("more than the end of the state");
        }
        ThrowIfRefused();
        // In reverse, so that what a key refers to is complete before its hash code is asked for.
        for (int i = _deferred.Count - 1; i >= 0; i--)
        {
            try
            {
                _deferred[i]();
            }
            catch (ArgumentException error)
            {
                Refuse($"a collection's keys or items are equal, or ordered, in another way than when they were saved: {error.Message}");
            }
        }
        ThrowIfRefused();
        return roots;
    }

    private void ThrowIfRefused()
    {
        if (_refusals.Count > 0)
        {
            throw new CannotResumeException([.. _refusals.Select(pair => pair.Value > 1 ? $"{pair.Key} ({pair.Value} times)" : pair.Key)]);
        }
    }

    public object? ReadReference()
    {
        ulong marker = ReadVarint();
        if (marker == 0)
        {
            return null;
        }
        if ((marker & 1) != 0)
        {
            return ReadNew(marker >> 1);
        }
        ulong id = (marker >> 1) - 1;
        return id < (ulong)_objects.Count && _objects[(int)id] is { } found ? found
            : throw Corrupt($"a reference to object {id} of {_objects.Count}");
    }

    public bool ReadFlag() => ReadByte() switch
    {
        0 => false,
        1 => true,
        byte other => throw Corrupt($"{other} for a yes or no"),
    };

    public SavedType ReadType()
    {
        Enter();
        SavedType type = _types.Read(this, ReadVarint());
        _nesting--;
        return type;
    }

    public Wire ReadWire()
    {
        ulong kind = ReadVarint();
        if (kind < StateFormat.FirstTypeWire)
        {
            return new Wire((int)kind, null);
        }
        Enter();
        SavedType type = _types.Read(this, kind - StateFormat.FirstTypeWire);
        _types.RequireSchema(this, type);
        _nesting--;
        return new Wire(StateFormat.FirstTypeWire, type);
    }

    /// <summary>The saved form of a struct whose fields are not the present ones; null for all others.</summary>
    public SavedType? EvolvedOf(Type type) => _evolved?.GetValueOrDefault(type);

    public void NoteEvolved(SavedType type) => (_evolved ??= [])[type.Resolved!] = type;

    /// <summary>Runs after all objects are filled: whatever asks for hash codes or compares.</summary>
    public void Defer(Action fill) => _deferred.Add(fill);

    /// <summary>Notes a refusal and goes on with null, so that all refusals can be listed; what is no refusal is damage.</summary>
    public object? Mismatch(object? found, Type wanted)
    {
        if (found is MissingObject missing)
        {
            Refuse($"{missing.Type.Description}: {missing.Type.Problem}");
            return null;
        }
        throw Corrupt($"a {TypeNames.Display(found!.GetType())} where a {TypeNames.Display(wanted)} belongs");
    }

    public void Refuse(string refusal) => _refusals[refusal] = _refusals.GetValueOrDefault(refusal) + 1;

    /// <summary>Skips a value of a field that is gone; objects it refers to are read, since others may refer to them too.</summary>
    public void Skip(Wire wire)
    {
        if (wire.IsReference)
        {
            ReadReference();
        }
        else if (wire.Type is { } type)
        {
            Enter();
            StateSkipper.SkipValue(this, type);
            _nesting--;
        }
        else
        {
            ReadVarint();
        }
    }

    private void ReadBodies()
    {
        for (int id = 0; id < _objects.Count; id++)
        {
            if (_bodies[id] is not { } type)
            {
                continue;
            }
            if (_objects[id] is MissingObject missing)
            {
                StateSkipper.SkipBody(this, missing);
            }
            else
            {
                type.Plan!.ReadBody(this, type, _objects[id]!);
            }
            if (ReadByte() != StateFormat.EndMark(id))
            {
                throw Corrupt($"no end of object {id}, a {type.Description}");
            }
        }
    }

    private object ReadNew(ulong typeId)
    {
        Enter();
        SavedType type = _types.Read(this, typeId);
        if (type.Primitive == Primitive.String)
        {
            string text = ReadText(out bool shared);
            if (shared)
            {
                Add(text, null);
            }
            _nesting--;
            return text;
        }
        _types.RequireSchema(this, type);
        int id = _objects.Count;
        Add(null, null); // The header may hold references: they come after this one.
        object made = Make(type);
        _objects[id] = made;
        _bodies[id] = (type.Plan?.HasBody ?? StateSkipper.HasBody(type)) ? type : null;
        _nesting--;
        return made;
    }

    private object Make(SavedType type)
    {
        object? existing = _existing;
        _existing = null;
        if (type.Plan is null)
        {
            return new MissingObject(type, StateSkipper.SkipHeader(this, type));
        }
        if (existing is null)
        {
            return type.Plan.Allocate(this, type);
        }
        return existing.GetType() == type.Resolved && type.Plan.FillsExisting
            ? existing
            : throw new StateFormatException($"a {type.Description} where the host expects a {TypeNames.Display(existing.GetType())}",
                Position);
    }

    private void Add(object? item, SavedType? body)
    {
        _objects.Add(item);
        _bodies.Add(body);
    }

    private void Enter()
    {
        if (++_nesting > StateFormat.MaxNesting * 2)
        {
            throw Corrupt("types or collections nested too deep");
        }
    }
}
